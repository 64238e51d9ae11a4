#!/usr/bin/env python3
"""Measures the Python package with many files, directories and expressions; run it with the Python that has the package.

    bench/many.py export [--files 5000] [--distinct 100] [--megabytes 2] [--table resources]
    bench/many.py fleet --program PATH [--directories 200] [--resources 500] [--mirror DIRECTORY]
                        [--spark [--per-task 1]] [--rounds 1]
    bench/many.py language [--kilobytes 1000] [--expressions 10000]

export  writes a table of generated states as Parquet, and beside it the same rows made with the module json from a part
        of the files. The files are links to `distinct` different ones, so that the disk is not measured.
fleet   compares the wall time of a fleet with the sum of its plans divided by the processors: of plans as the fleet
        measured them, and of the same commands one after the other, half of them before and half of them after it.
        Rounds have one session of Spark, whose compiler has less to do from round to round. With --mirror the resources
        are those of the provider hashicorp/time in that directory, which each plan starts; else of the one built in.
language  parses generated files, beside python-hcl2 (PyPI) if that is there, and evaluates expressions.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import kinu

HERE = os.path.dirname(os.path.abspath(__file__))


def instance(chance, number):
    tags = {"Name": "disk-%d" % number, "team": chance.choice(["a", "b", "c"]), "cost": str(chance.random())}
    rules = [{"port": chance.randrange(65536), "cidr": "10.%d.0.0/16" % chance.randrange(256), "open": bool(i % 2),
              "description": "rule %d of %d \u2013 \"quoted\"" % (i, number)} for i in range(8)]
    attributes = {"id": "i-%016x" % chance.getrandbits(64), "size": chance.randrange(1000), "ratio": chance.random(),
                  "tags": tags, "rules": rules, "encrypted": True, "kms_key": None, "policy": json.dumps(rules[:3]),
                  "password": "secret-%016x" % chance.getrandbits(64)}
    return {"index_key": number, "schema_version": 1, "attributes": attributes, "private": "bnVsbA==",
            "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]],
            "dependencies": ["cloud_network.main", "module.base.cloud_key.k"]}


def state(seed, count):
    chance = random.Random(seed)
    instances = [instance(chance, i) for i in range(count)]
    return json.dumps({
        "version": 4, "terraform_version": "1.12.6", "serial": seed, "lineage": "%032x" % seed, "outputs": {},
        "resources": [{"mode": "managed", "type": "cloud_disk", "name": "d%d" % i,
                       "provider": 'provider["registry.opentofu.org/acme/cloud"]', "instances": instances[i::50]}
                      for i in range(50)]}, indent=2, ensure_ascii=False)


def generate(folder, files, distinct, size):
    sources = []
    count = size * 200 // len(state(0, 200).encode())
    for i in range(files):
        path = os.path.join(folder, "states", "%05d.tfstate" % i)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if i < distinct:
            with open(path, "w", encoding="utf-8") as file:
                file.write(state(i, count))
            sources.append(path)
        else:
            os.link(sources[i % distinct], path)
    return os.path.dirname(path)


def rows_by_json(folder, first, last):
    """The rows of the table resources, in Python."""
    for name in sorted(os.listdir(folder))[first:last]:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            document = json.load(file)
        for block in document["resources"]:
            for each in block["instances"]:
                values = each["attributes"]
                for path in each["sensitive_attributes"]:
                    values[path[0]["value"]] = None
                yield {"source": os.path.join(folder, name), "lineage": document["lineage"],
                       "serial": document["serial"], "terraform_version": document["terraform_version"],
                       "address": "%s.%s[%s]" % (block["type"], block["name"], json.dumps(each["index_key"])),
                       "module": None, "mode": block["mode"], "type": block["type"], "name": block["name"],
                       "index": json.dumps(each["index_key"]), "provider": block["provider"].split('"')[1],
                       "schema_version": each["schema_version"], "tainted": each.get("status") == "tainted",
                       "deposed": each.get("deposed"), "id": values["id"],
                       "values": json.dumps(values, separators=(",", ":"), ensure_ascii=False),
                       "sensitive": bool(each["sensitive_attributes"]),
                       "depends_on": json.dumps(each["dependencies"], separators=(",", ":"))}


def export_by_json(folder, first, last, out):
    import pyarrow
    from pyarrow import parquet
    schema = pyarrow.RecordBatchReader.from_stream(kinu.tables([], "resources")).schema
    rows = []
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for row in rows_by_json(folder, first, last):
            rows.append(row)
            if len(rows) == 8192:
                writer.write_batch(pyarrow.RecordBatch.from_pylist(rows, schema))
                rows.clear()
        writer.write_batch(pyarrow.RecordBatch.from_pylist(rows, schema))


def used(command, folder):
    """(wall seconds, processor seconds, megabytes) of a process."""
    tool, report = os.path.join(folder, "measure"), os.path.join(folder, "report")
    if not os.path.exists(tool):
        subprocess.run(["cc", "-O1", "-o", tool, os.path.join(HERE, "measure.c")], check=True)
    start = time.monotonic()
    subprocess.run([tool, report, *command], check=True)
    wall = time.monotonic() - start
    with open(report, encoding="utf-8") as file:
        status, cpu, kilobytes = file.read().split()
    if status != "0":
        sys.exit("failed: %s" % command)
    return wall, float(cpu), int(kilobytes) / 1024


def measure_export(given):
    from pyarrow import parquet
    with tempfile.TemporaryDirectory() as folder:
        states = generate(folder, given.files, given.distinct, int(given.megabytes * 1e6))
        size = sum(entry.stat().st_size for entry in os.scandir(states))
        out = os.path.join(folder, "out")
        wall, cpu, memory = used([sys.executable, "-m", "kinu", "export", "--table", given.table, out, states], folder)
        print("kinu: %d files, %.2f GB: %.1f s wall, %.1f s CPU, %.0f MB" %
              (given.files, size / 1e9, wall, cpu, memory))
        if given.table != "resources":
            return
        part = min(given.files // kinu.fleet.cores(), 200)
        code = "import sys; sys.path.insert(0, %r); import many; many.export_by_json(%r, 0, %d, %r)" % (
            HERE, states, part, os.path.join(folder, "json.parquet"))
        _, base, _ = used([sys.executable, "-c", code.replace(", 0, %d," % part, ", 0, 0,")], folder)
        _, other, _ = used([sys.executable, "-c", code], folder)
        whole = base + (other - base) * given.files / part
        print("json: %.1f s CPU (from %d files), %.1f times" % (whole, part, whole / cpu))
        wanted = parquet.read_table(os.path.join(folder, "json.parquet")).to_pylist()
        first = parquet.read_table(os.path.join(out, "part-00000.parquet")).slice(0, len(wanted)).to_pylist()
        print("the same rows" if wanted == first else "DIFFERENT ROWS: %r %r" % next(
            pair for pair in zip(wanted, first) if pair[0] != pair[1]))


def one_after_the_other(program, directories):
    """The seconds of plans and their documents."""
    start = time.monotonic()
    for directory in directories:
        subprocess.run([program, "plan", "-json", "-lock=false", "-out=p"], cwd=directory, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([program, "show", "-json", "p"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
        os.unlink(os.path.join(directory, "p"))
    return time.monotonic() - start


def builtin_resources(count):
    before = ["null", *("terraform_data.r%d.id" % k for k in range(count))]
    return "".join('resource "terraform_data" "r%d" {\n  input = [%d, %s]\n}\n' % (k, k, before[k])
                   for k in range(count))


def time_resources(count):
    return 'terraform {\n  required_providers {\n    time = { source = "hashicorp/time" }\n  }\n}\n' + "".join(
        'resource "time_static" "r%d" {\n  triggers = { number = "%d" }\n}\n' % (k, k) for k in range(count))


def initialized(given, folder):
    """The names of what init writes, in a directory of its own."""
    settings = os.path.join(folder, "settings.tfrc")
    with open(settings, "w", encoding="utf-8") as file:
        file.write("provider_installation {\n  filesystem_mirror {\n    path = %s\n  }\n}\n" %
                   json.dumps(os.path.abspath(given.mirror)))
    place = os.path.join(folder, "initialized")
    os.mkdir(place)
    with open(os.path.join(place, "main.tf"), "w", encoding="utf-8") as file:
        file.write(time_resources(1))
    subprocess.run([given.program, "init"], cwd=place, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "TF_CLI_CONFIG_FILE": settings})
    return [os.path.join(place, name) for name in (".terraform", ".terraform.lock.hcl")]


def make_directories(given, folder):
    text = time_resources(given.resources) if given.mirror else builtin_resources(given.resources)
    written = initialized(given, folder) if given.mirror else []
    directories = [os.path.join(folder, "d%04d" % i) for i in range(given.directories)]
    for directory in directories:
        os.mkdir(directory)
        with open(os.path.join(directory, "main.tf"), "w", encoding="utf-8") as file:
            file.write(text)
        for path in written:
            os.symlink(path, os.path.join(directory, os.path.basename(path)))
    return directories


def measure_fleet(given):
    with tempfile.TemporaryDirectory() as folder:
        directories = make_directories(given, folder)
        session = None
        if given.spark:
            # PySpark loads Python's module profile, and not the program of this name beside this one.
            sys.path.remove(HERE)
            from pyspark.sql import SparkSession
            os.environ["PYSPARK_PYTHON"] = sys.executable
            session = SparkSession.builder.master("local[%d,4]" % kinu.fleet.cores()).config(
                "spark.ui.showConsoleProgress", "false").getOrCreate()
            kinu.fleet.plan(directories[:2], program=given.program, spark=session)
        for _ in range(given.rounds):
            alone = one_after_the_other(given.program, directories[::2])
            start = time.monotonic()
            plans = kinu.fleet.plan(directories, program=given.program, spark=session,
                                    directories_per_task=given.per_task)
            wall = time.monotonic() - start
            alone += one_after_the_other(given.program, directories[1::2])
            assert plans.is_complete and plans.changes.num_rows == given.directories * given.resources
            cores = kinu.fleet.cores()
            inside = sum(plans.directories.column("seconds").to_pylist())
            print("%d directories, %d processors: %.2f s wall; plans one after the other %.2f s (a share: %.2f s, "
                  "%+.0f %%); plans in the fleet %.2f s (a share: %.2f s, %+.0f %%)" % (
                      given.directories, cores, wall, alone, alone / cores, (wall / (alone / cores) - 1) * 100,
                      inside, inside / cores, (wall / (inside / cores) - 1) * 100), flush=True)


BLOCK = """resource "cloud_disk" "d%d" {
  for_each = var.disks
  name     = "disk-${each.key}-%d"
  size     = each.value.size > %d ? each.value.size : 10
  tags = merge(local.tags, { Name = upper(each.key), Team = "platform" })
  rule {
    port  = %d
    cidrs = [for n in var.networks : cidrsubnet(n.cidr, 8, %d) if n.open]
  }
  depends_on = [cloud_network.main]
}

"""
EXPRESSIONS = ('%d + length(names)', 'upper("a-${names[0]}-%d")', '[for n in names : "${n}-%d" if n != "b"]',
               'cidrsubnet("10.0.0.0/8", 8, %d %% 256)', 'merge({ a = %d }, size > 3 ? { b = 1 } : {})')


def seconds(act):
    start = time.process_time()
    act()
    return time.process_time() - start


def measure_language(given):
    text = ""
    while len(text) < given.kilobytes * 1000:
        text += BLOCK % ((len(text),) * 5)
    ours = min(seconds(lambda: kinu.parse(text)) for _ in range(3))
    print("kinu.parse: %d KB in %.3f s" % (len(text) // 1000, ours))
    try:
        import hcl2
    except ImportError:
        print("python-hcl2 is not installed")
    else:
        # A part of the text, because it takes minutes.
        part = text[:text.rindex("resource", 0, len(text) // 10)]
        other = seconds(lambda: hcl2.loads(part)) * len(text) / len(part)
        print("hcl2.loads: %.1f s (from a tenth), %.0f times" % (other, other / ours))
    variables = {"names": ["a", "b", "c"], "size": 5}
    texts = [EXPRESSIONS[i % len(EXPRESSIONS)] % i for i in range(given.expressions)]
    spent = min(seconds(lambda: [kinu.evaluate(each, variables) for each in texts]) for _ in range(3))
    print("kinu.evaluate: %d expressions in %.3f s" % (len(texts), spent))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("export")
    command.set_defaults(run=measure_export)
    command.add_argument("--files", type=int, default=5000)
    command.add_argument("--distinct", type=int, default=100)
    command.add_argument("--megabytes", type=float, default=2)
    command.add_argument("--table", default="resources")
    command = commands.add_parser("fleet")
    command.set_defaults(run=measure_fleet)
    command.add_argument("--program", required=True)
    command.add_argument("--directories", type=int, default=200)
    command.add_argument("--resources", type=int, default=500)
    command.add_argument("--mirror", help="where the provider hashicorp/time is")
    command.add_argument("--spark", action="store_true")
    command.add_argument("--per-task", type=int, default=1, help="directories in a task of Spark")
    command.add_argument("--rounds", type=int, default=1)
    command = commands.add_parser("language")
    command.add_argument("--kilobytes", type=int, default=1000)
    command.add_argument("--expressions", type=int, default=10000)
    command.set_defaults(run=measure_language)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
