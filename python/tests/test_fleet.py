"""Tests of fleets. They need pyarrow and a program (support.program())."""

import contextlib
import fcntl
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import unittest.mock

from support import descendants, installed, program, write

import kinu

PROGRAM = program()
COUNT = 1000
MISSING = "pyarrow is not installed" if not installed("pyarrow", "pyarrow.parquet") else \
    "there is no program kinu (KINU_PROGRAM)" if PROGRAM is None else None


def resources(count):
    return "".join('resource "terraform_data" "r%d" {\n  input = %d\n}\n' % (i, i) for i in range(count))


class Killer(threading.Thread):
    """Kills a worker from time to time, but lets something become ready in between."""

    def __init__(self, words, pause):
        super().__init__(daemon=True)
        self._words, self._pause = words, pause
        self._stopped = threading.Event()
        self._ready = threading.Event()
        self.kills = 0

    def count(self, _):
        self._ready.set()

    def run(self):
        chance = random.Random(1)
        while not self._stopped.wait(self._pause * (0.5 + chance.random())):
            found = descendants(self._words)
            if found and self._ready.is_set():
                self._ready.clear()
                try:
                    os.kill(chance.choice(found), signal.SIGKILL)
                    self.kills += 1
                except ProcessLookupError:
                    pass

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self.join()


@unittest.skipIf(MISSING, MISSING)
class Fleet(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def plan(self, *directories, **options):
        return kinu.fleet.plan(directories, **{"program": PROGRAM, **options})

    def script(self, text):
        """A program in the place of kinu."""
        path = write(self.folder, "bin/program", "#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def row(self, plans):
        self.assertEqual(plans.directories.num_rows, 1)
        row = plans.directories.to_pylist()[0]
        return {**row, "diagnostics": json.loads(row["diagnostics"])}

    def test_thousand_directories_and_killed_workers(self):
        wanted, statuses = {}, {}
        for i in range(COUNT):
            directory = os.path.join(self.folder, "d%04d" % i)
            count = i % 4
            statuses[directory] = "failed" if i % 50 == 7 else "changed" if count else "unchanged"
            wanted[directory] = sorted("terraform_data.r%d" % k for k in range(count if i % 50 != 7 else 0))
            write(directory, "main.tf", "nothing = 1\n" if i % 50 == 7 else resources(count))
        with Killer("kinu._planning", 0.4) as killer:
            plans = self.plan(*wanted, attempts=10, progress=killer.count)
        rows = plans.directories.to_pylist()
        self.assertEqual([row["directory"] for row in rows], list(wanted))
        self.assertEqual({row["directory"]: row["status"] for row in rows}, statuses)
        found = {directory: [] for directory in wanted}
        for row in plans.changes.select(["source", "address", "action"]).to_pylist():
            self.assertEqual(row["action"], "create")
            found[row["source"]].append(row["address"])
        self.assertEqual({directory: sorted(addresses) for directory, addresses in found.items()}, wanted)
        self.assertGreater(killer.kills, 2)
        self.assertGreater(sum(row["attempts"] for row in rows), COUNT)
        self.assertEqual([row["changes"] for row in rows],
                         [len(wanted[row["directory"]]) if row["status"] != "failed" else None for row in rows])
        self.assertEqual(descendants("kinu._planning"), [])
        print("%d directories, %d kills, %d attempts" % (COUNT, killer.kills, sum(row["attempts"] for row in rows)))

    def test_directory_that_kills_its_workers(self):
        write(self.folder, "bad/marker", "")
        bad, good = os.path.join(self.folder, "bad"), os.path.join(self.folder, "good")
        write(good, "main.tf", resources(1))
        deadly = self.script('[ -f marker ] && kill -9 $PPID\nexec "%s" "$@"\n' % PROGRAM)
        plans = self.plan(bad, good, program=deadly, attempts=2)
        found = [(row["status"], row["attempts"], row["errors"]) for row in plans.directories.to_pylist()]
        self.assertEqual(found, [("lost", 2, 1), ("changed", 1, 0)])
        self.assertEqual(plans.changes.column("source").to_pylist(), [good])
        self.assertFalse(plans.is_complete)

    def test_program_that_is_killed(self):
        write(self.folder, "main.tf", "")
        once = self.script('[ -f tried ] && exec "%s" "$@"\ntouch tried\nkill -9 $$\n' % PROGRAM)
        row = self.row(self.plan(self.folder, program=once))
        self.assertEqual((row["status"], row["attempts"]), ("unchanged", 2))
        row = self.row(self.plan(self.folder, program=self.script("kill -9 $$\n"), attempts=2))
        self.assertEqual((row["status"], row["attempts"], row["diagnostics"][0]["summary"]),
                         ("failed", 2, "The command plan ended with signal 9"))

    def test_diagnostics(self):
        write(self.folder, "main.tf", 'resource "terraform_data" "a" {\n  input = var.none\n}\n')
        row = self.row(self.plan(self.folder))
        self.assertEqual((row["status"], row["errors"]), ("failed", 1))
        problem = row["diagnostics"][0]
        self.assertEqual((problem["severity"], problem["range"]["filename"], problem["range"]["start"]["line"]),
                         ("error", "main.tf", 2))
        self.assertIn("undeclared", problem["summary"])

    def test_plan_files_are_read_in_place(self):
        """The program does not show what it has planned, unless the plan needs its providers."""
        log = os.path.join(self.folder, "log")
        logged = self.script('echo "$1" >>%s\nexec %s "$@"\n' % (log, PROGRAM))
        write(self.folder, "a/main.tf", resources(3))
        plans = self.plan(os.path.join(self.folder, "a"), program=logged)
        self.assertEqual(plans.changes.num_rows, 3)
        with open(log, encoding="utf-8") as file:
            self.assertEqual(file.read().split(), ["plan"])

    def test_program_that_crashes(self):
        row = self.row(self.plan(self.folder, program=self.script("echo no memory >&2\nkill -6 $$\n")))
        self.assertEqual((row["status"], row["diagnostics"][0]["summary"], row["diagnostics"][0]["detail"]),
                         ("failed", "The command plan ended with signal 6", "no memory"))
        row = self.row(self.plan(self.folder, program=self.script('[ "$1" = plan ] || exit 3\n')))  # writes no plan
        self.assertEqual((row["status"], row["diagnostics"][0]["summary"]), ("failed", "The plan could not be shown"))
        none = os.path.join(self.folder, "none")
        self.assertEqual(self.row(self.plan(none))["diagnostics"][0]["summary"], "There is no such directory")

    def test_timeout(self):
        row = self.row(self.plan(self.folder, program=self.script("exec sleep 60\n"), timeout=0.5))
        self.assertEqual((row["status"], row["attempts"]), ("timeout", 1))
        self.assertLess(row["seconds"], 10)

    def test_worker_that_stops(self):
        from kinu import _pool
        _pool._GRACE, before = 0.5, _pool._GRACE
        self.addCleanup(setattr, _pool, "_GRACE", before)
        plans = self.plan(self.folder, program=self.script("kill -STOP $PPID\nexec sleep 62\n"), timeout=1)
        row = self.row(plans)
        self.assertEqual((row["status"], row["attempts"], row["diagnostics"][0]["summary"]),
                         ("timeout", 1, "The worker did not answer in time"))
        self.assertEqual(descendants("sleep 62"), [])

    def test_program_that_does_not_end(self):
        from kinu import _planning
        _planning._INTERRUPT, before = 0.2, _planning._INTERRUPT
        self.addCleanup(setattr, _planning, "_INTERRUPT", before)
        stubborn = self.script("trap '' INT\nsleep 61 &\necho $! > '%s/child'\nwait\nsleep 61\n" % self.folder)
        options = _planning.Options(stubborn, timeout=0.5, own_group=True)
        reply = _planning.plan_directory(self.folder, "d", options)
        self.assertEqual((reply.report["status"], reply.is_last), ("timeout", True))
        with open(os.path.join(self.folder, "child"), encoding="utf-8") as file:
            child = int(file.read())
        for _ in range(100):
            if child not in descendants("") and not is_alive(child):
                return
            time.sleep(0.05)
        self.fail("a process of the program is still there")

    def test_init_when_it_is_needed(self):
        write(self.folder, "main.tf", 'module "m" {\n  source = "./m"\n}\n')
        write(self.folder, "m/main.tf", resources(2))
        row = self.row(self.plan(self.folder, init="never"))
        self.assertEqual((row["status"], row["init_seconds"]), ("failed", None))
        row = self.row(self.plan(self.folder))
        self.assertEqual((row["status"], row["changes"]), ("changed", 2))
        self.assertGreater(row["init_seconds"], 0)
        self.assertIsNone(self.row(self.plan(self.folder))["init_seconds"])
        self.assertIsNotNone(self.row(self.plan(self.folder, init="always"))["init_seconds"])

    def test_failing_init(self):
        write(self.folder, "main.tf", 'module "m" {\n  source = "./none"\n}\n')
        row = self.row(self.plan(self.folder))
        self.assertEqual(row["status"], "failed")
        self.assertGreater(row["init_seconds"], 0)

    def test_drift_and_variables(self):
        write(self.folder, "main.tf", 'variable "v" {\n  sensitive = true\n}\n'
              'resource "terraform_data" "a" {\n  input = var.v\n}\n')
        plans = self.plan(self.folder, environment={"TF_VAR_v": "hidden"})
        self.assertNotIn("hidden", str(plans.changes.to_pylist()))
        shown = self.plan(self.folder, arguments=["-var=v=hidden"], show_sensitive=True, tables=["attributes"])
        self.assertIn("hidden", str(shown.changes.to_pylist()))
        self.assertIn("hidden", shown.tables["attributes"].column("text").to_pylist())

    def drifted(self):
        """A program whose plans find that two objects have drifted, and that is kinu for all else."""
        objects = [{"address": "p_a.%s" % name, "mode": "managed", "type": "p_a", "name": name, "change": {
            "actions": ["update"], "before": {"size": 1}, "after": {"size": 2}}} for name in ("x", "y")]
        plan = write(self.folder, "drifted.json", json.dumps(
            {"format_version": "1.2", "planned_values": {}, "resource_drift": objects}))
        return self.script('if [ "$1" != plan ]; then exec "%s" "$@"; fi\nfor each; do\n  case $each in\n'
                           '  -out=*) cp "%s" "${each#-out=}" ;;\n  esac\ndone\n' % (PROGRAM, plan))

    def test_rules_for_drift(self):
        def counts(**options):
            row = self.row(self.plan(self.folder, program=self.drifted(), **options))
            return row["status"], row["drift"], row["drift_ignored"]

        rule = 'ignore "p_a.%s" {\n  reason = "known"\n}\n'
        given = [write(self.folder, "%s/same.kinudrift.hcl" % name, rule % name) for name in ("x", "y")]
        write(self.folder, "own.kinudrift.hcl", rule % "x")
        self.assertEqual(counts(), ("unchanged", 2, None))
        self.assertEqual(counts(drift_rules=[]), ("unchanged", 1, 1))
        self.assertEqual(counts(drift_rules=given), ("unchanged", 0, 2))
        with self.assertRaises(FileNotFoundError):
            counts(drift_rules=["none.kinudrift.hcl"])

    def test_rules_for_drift_that_are_wrong(self):
        wrong = write(self.folder, "wrong.kinudrift.hcl", 'ignore "*" {\n}\n')
        row = self.row(self.plan(self.folder, program=self.drifted(), drift_rules=[wrong]))
        self.assertEqual((row["status"], row["drift"], row["drift_ignored"]), ("failed", None, None))
        self.assertEqual(row["diagnostics"][0]["summary"], "Missing required argument")
        other = self.script('[ "$1" = plan ] || { echo no such command >&2; exit 1; }\n')
        row = self.row(self.plan(self.folder, program=other, drift_rules=[]))
        self.assertEqual([(each["summary"], each["detail"]) for each in row["diagnostics"]],
                         [("The drift could not be counted", "no such command")])

    def test_settings_of_the_mirror(self):
        show = self.script('cat "$TF_CLI_CONFIG_FILE" >&2\necho "$TF_IN_AUTOMATION" >&2\nexit 1\n')
        detail = self.row(self.plan(self.folder, program=show, mirror="/srv/${x}"))["diagnostics"][0]["detail"]
        self.assertIn('filesystem_mirror {\n    path = "/srv/$${x}"', detail)
        self.assertTrue(detail.endswith("1"))
        detail = self.row(self.plan(self.folder, program=show, mirror="https://m.test/a"))["diagnostics"][0]["detail"]
        self.assertIn('network_mirror {\n    url = "https://m.test/a/"', detail)

    def test_providers_of_a_mirror(self):
        place = os.path.join(os.path.dirname(PROGRAM), "..", "..", "mirror")
        if not os.path.isdir(place):
            self.skipTest("there is no mirror beside the program")
        package = next(os.path.join(parent, name) for parent, folders, _ in sorted(os.walk(place))
                       for name in folders if len(parent.split(os.sep)) - len(place.split(os.sep)) == 2)
        source = os.path.relpath(package, place)
        write(self.folder, "main.tf", 'terraform {\n  required_providers {\n    p = {\n      source = "%s"\n'
              '    }\n  }\n}\nprovider "p" {}\n' % source)
        row = self.row(self.plan(self.folder, mirror=place))
        self.assertEqual((row["status"], row["diagnostics"]), ("unchanged", []))
        self.assertGreater(row["init_seconds"], 0)

    def test_roots(self):
        for name in ("a", "a/modules/used", "b/c", ".hidden", "b/c/.terraform/modules/x"):
            write(self.folder, name + "/main.tf", "")
        write(self.folder, "a/main.tf", 'module "m" {\n  source = "./modules/used"\n}\n')
        self.assertEqual([os.path.relpath(path, self.folder) for path in kinu.fleet.find(self.folder)], ["a", "b/c"])

    def test_archives_and_stores(self):
        write(self.folder, "clone/root/main.tf", 'module "m" {\n  source = "../m"\n}\n')
        write(self.folder, "clone/m/main.tf", resources(2))
        archive = os.path.join(self.folder, "clone.tar.gz")
        with tarfile.open(archive, "w:gz") as file:
            file.add(os.path.join(self.folder, "clone"), ".")
        store = "file://" + self.folder
        plans = self.plan(archive + "//root", store + "/clone.tar.gz//root", store + "/clone//root")
        self.assertEqual(plans.directories.column("changes").to_pylist(), [2, 2, 2])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "clone", "root", ".terraform")))

    def test_same_directory_once(self):
        write(self.folder, "main.tf", resources(1))
        plans = self.plan(self.folder, self.folder + "/", os.path.join(self.folder, "."))
        self.assertEqual(plans.directories.column("directory").to_pylist(), [self.folder])

    def test_interrupt(self):
        for i in range(8):
            write(self.folder, "d%d/main.tf" % i, resources(1))

        def interrupt(row):
            raise KeyboardInterrupt

        with self.assertRaises(kinu.fleet.Interrupted) as caught:
            self.plan(*kinu.fleet.find(self.folder), progress=interrupt)
        self.assertEqual(descendants("kinu._planning"), [])
        self.assertIsInstance(caught.exception, KeyboardInterrupt)
        plans = caught.exception.plans
        statuses = plans.directories.column("status").to_pylist()
        self.assertEqual((statuses.count("changed"), statuses.count("interrupted")), (1, 7))
        self.assertEqual(plans.changes.num_rows, 1)

    def test_interrupted_command_writes_what_is_ready(self):
        parquet = installed("pyarrow.parquet")[0]
        write(self.folder, "tree/a/main.tf", resources(1))
        write(self.folder, "tree/slow/main.tf", "")
        slow = self.script('case $PWD in */slow) exec sleep 63;; esac\nexec "%s" "$@"\n' % PROGRAM)
        out = os.path.join(self.folder, "out")
        command = subprocess.Popen([sys.executable, "-m", "kinu", "fleet", "--program", slow, "--find", "--workers=2", out,
                                    os.path.join(self.folder, "tree")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.assertIn("[1/2]", command.stderr.readline())
        command.send_signal(signal.SIGINT)
        output, errors = command.communicate()
        self.assertEqual((command.returncode, errors), (130, ""))
        self.assertEqual(output, "2 directories: 1 changed, 1 interrupted\n1 changes, 0 drifted\n")
        self.assertEqual(parquet.read_table(os.path.join(out, "directories.parquet")).num_rows, 2)
        self.assertEqual(descendants("sleep 63"), [])

    def test_worker_without_a_pool_ends_in_silence(self):
        write(self.folder, "main.tf", "")
        from kinu import _planning
        options = _planning.Options(self.script('sleep 0.5\nexec "%s" "$@"\n' % PROGRAM))
        worker = subprocess.Popen([sys.executable, "-c", "from kinu._planning import serve; serve()"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        worker.stdin.write(options.request(self.folder) + b"\n")
        worker.stdin.close()
        worker.stdout.close()
        self.assertEqual((worker.stderr.read(), worker.wait()), (b"", 0))
        worker.stderr.close()

    def test_replies_in_bytes(self):
        from kinu._pool import Reply
        tables = {"changes": b"c" * 100, "outputs": b"", "checks": b"k"}
        data = Reply({"directory": "a\nb"}, tables, was_killed=True).to_bytes()
        reply = Reply.of(memoryview(data))
        self.assertEqual((reply.report, {name: bytes(table) for name, table in reply.tables.items()}),
                         ({"directory": "a\nb"}, tables))
        self.assertEqual((reply.is_last, reply.was_killed), (False, True))
        self.assertEqual(data.index(b"c" * 100) % 64, 0)
        for size in range(len(data)):
            self.assertIsNone(Reply.of(memoryview(data[:size])))
        file = io.BytesIO(data + data)
        self.assertEqual([Reply.read(file.read).tables["checks"] for _ in range(2)], [b"k", b"k"])
        self.assertIsNone(Reply.read(file.read))

    def test_processors_of_workers(self):
        from kinu._pool import share
        self.assertEqual([share(i, 2, {0, 1}) for i in range(2)], [{0}, {1}])
        self.assertEqual([share(i, 3, {5, 1, 3, 7, 9, 11, 13}) for i in range(3)], [{1, 7, 13}, {3, 9}, {5, 11}])
        self.assertEqual([share(i, 3, {4, 6}) for i in range(3)], [{4, 6}] * 3)
        say = self.script("grep Cpus_allowed_list /proc/self/status >&2\nexit 1\n")
        for workers, wanted in ((kinu.fleet.cores(), 1), (1, kinu.fleet.cores())):
            directories = [os.path.join(self.folder, "d%d" % i) for i in range(workers)]
            for directory in directories:
                write(directory, "main.tf", "")
            plans = self.plan(*directories, program=say, workers=workers)
            for diagnostics in plans.directories.column("diagnostics").to_pylist():
                parts = json.loads(diagnostics)[0]["detail"].split()[1].split(",")
                found = sum(int(part.split("-")[-1]) - int(part.split("-")[0]) + 1 for part in parts)
                self.assertEqual(found, wanted)

    def test_tasks_have_processors_of_their_own(self):
        from kinu import _tasks
        from kinu._pool import share
        processors = os.sched_getaffinity(0)
        with unittest.mock.patch.object(_tasks, "processors_folder", lambda: os.path.join(self.folder, "numbers")):
            for tasks, taken, wanted in ((2, [], share(0, 2, processors)), (2, [0], share(1, 2, processors)),
                                         (2, [0, 1], processors), (0, [], processors),
                                         (len(processors) + 1, [], processors)):
                with contextlib.ExitStack() as others:
                    os.makedirs(_tasks.processors_folder(), exist_ok=True)
                    for number in taken:
                        file = others.enter_context(open(os.path.join(_tasks.processors_folder(), str(number)), "w"))
                        fcntl.flock(file, fcntl.LOCK_EX)
                    with _tasks.own_processors(tasks):
                        self.assertEqual(os.sched_getaffinity(0), wanted)
                    self.assertEqual(os.sched_getaffinity(0), processors)
        with unittest.mock.patch.object(_tasks, "processors_folder", lambda: "/dev/null/none"), \
                _tasks.own_processors(1):
            self.assertEqual(os.sched_getaffinity(0), processors)

    def test_sizes_of_tasks(self):
        from kinu._tasks import task_ranges
        for count, largest, at_once, wanted in ((0, 5, 2, []), (3, 1, 2, [1, 1, 1]), (10, 4, 0, [4, 4, 2]),
                                                (40, 8, 2, [8, 8, 6, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1]),
                                                (70, 33, 1, [33, 18, 9, 5, 3, 2])):
            found = list(task_ranges(count, largest, at_once))
            self.assertEqual([end - first for first, end in found], wanted)
            self.assertEqual([index for first, end in found for index in range(first, end)], list(range(count)))

    def test_task_that_is_tried_again(self):
        """It plans the directories that are left, and answers for all of them."""
        from kinu import _planning, _tasks
        log = os.path.join(self.folder, "log")
        logged = self.script('basename "$PWD" >>%s\nexec %s "$@"\n' % (log, PROGRAM))
        names = ["d%d" % i for i in range(4)]
        for name in names:
            write(self.folder, name + "/main.tf", resources(1))
        place = os.path.join(self.folder, "tmp")
        os.mkdir(place)
        tempfile.tempdir, before = place, tempfile.tempdir
        self.addCleanup(setattr, tempfile, "tempdir", before)

        def rows():
            yield from _tasks.plan_task(3, 12, names, [os.path.join(self.folder, name) for name in names],
                                        _planning.Options(logged), 3, "job")
        tried = rows()
        with unittest.mock.patch.object(_tasks, "_MOST_BYTES", 1):
            self.assertEqual([next(tried).column("number").to_pylist() for _ in range(2)], [[12], [13]])
        tried.close()
        kept = os.path.join(_tasks.folder_of("job"), "3")
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o700)
        damaged = os.path.join(kept, *os.listdir(kept))
        os.truncate(damaged, os.path.getsize(damaged) - 1)
        found = [row for part in rows() for row in part.to_pylist()]
        self.assertEqual([row["number"] for row in found], [12, 13, 14, 15])
        for name, row in zip(names, found):
            report = _tasks.Packed(**row).answer().reply.report
            self.assertEqual((report["directory"], report["status"]), (name, "changed"))
        with open(log, encoding="utf-8") as file:
            self.assertEqual(file.read().split(), ["d0", "d1", "d1", "d2", "d3"])
        self.assertEqual(os.listdir(place), [])

    def test_answers_without_room_on_the_disk(self):
        """What is kept ends with the last answer that was written whole."""
        from kinu import _tasks
        self.addCleanup(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = self.folder
        answers = [_tasks.Packed(number, 1, 9, b"reply %d" % number) for number in range(3)]
        for task, is_short in enumerate((True, False)):
            kept = _tasks.Kept("full", task)
            kept.write(answers[0])
            whole = kept._file.write

            def fail(record, is_short=is_short, whole=whole):
                if is_short:
                    return whole(record[:-3])
                raise OSError("no room")

            with unittest.mock.patch.object(kept, "_file", unittest.mock.Mock(write=fail)):
                kept.write(answers[1])
            kept.write(answers[2])
            self.assertEqual(_tasks.Kept("full", task).read(), {0: answers[0]})
            kept.forget()
            self.assertEqual(_tasks.Kept("full", task).read(), {})

    def test_lines_of_messages(self):
        from kinu._planning import _lines_with
        text = b'{"a":"version"}\n{"b":1}\n{"diagnostic":"diagnostic","c":"version"}\n\nversion"'
        for end, last in ((b"\n", []), (b'\n"diagnostic"', [b'"diagnostic"'])):
            self.assertEqual(list(_lines_with(text + end, (b'"diagnostic"', b'"version"'))),
                             [b'{"a":"version"}', b'{"diagnostic":"diagnostic","c":"version"}', *last])
        self.assertEqual(list(_lines_with(b"", (b"a",))), [])

    def test_order_of_large_and_small_tables(self):
        for count in (1, 150):
            directories = [os.path.join(self.folder, "%s%d" % (name, count)) for name in "cab"]
            for directory in directories:
                write(directory, "main.tf", resources(count))
            sources = self.plan(*directories).changes.column("source").to_pylist()
            self.assertEqual(sources, [directory for directory in directories for _ in range(count)])

    def test_pandas_is_not_loaded(self):
        """Loading it takes longer than many plans."""
        write(self.folder, "main.tf", resources(1))
        code = ("import sys, kinu; plans = kinu.fleet.plan(sys.argv[2:], program=sys.argv[1]); "
                "print(plans.directories.num_rows, plans.changes.num_rows, 'pandas' in sys.modules)")
        for directories, wanted in ([self.folder], "1 1 False\n"), ([], "0 0 False\n"):
            run = subprocess.run([sys.executable, "-c", code, PROGRAM, *directories], capture_output=True, text=True,
                                 check=True)
            self.assertEqual(run.stdout, wanted)

    def test_arguments(self):
        for options in ({"tables": ["nothing"]}, {"init": "sometimes"}, {"timeout": 0}, {"directories_per_task": 0}):
            with self.assertRaises(ValueError):
                self.plan(self.folder, **options)
        plans = self.plan()
        self.assertEqual((plans.directories.num_rows, plans.changes.num_rows, plans.is_complete), (0, 0, True))

    def test_command(self):
        parquet = installed("pyarrow.parquet")[0]
        write(self.folder, "tree/a/main.tf", resources(1))
        write(self.folder, "tree/b/main.tf", resources(2))
        out = os.path.join(self.folder, "out")
        command = [sys.executable, "-m", "kinu", "fleet", "--program", PROGRAM, "--find", "--table=outputs", out,
                   os.path.join(self.folder, "tree")]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, "2 directories: 2 changed\n3 changes, 0 drifted\n"))
        self.assertEqual(sorted(os.listdir(out)), ["changes.parquet", "directories.parquet", "outputs.parquet"])
        self.assertEqual(parquet.read_table(os.path.join(out, "changes.parquet")).num_rows, 3)
        rules = write(self.folder, "rules.kinudrift.hcl", 'ignore "*" {\n  reason = "known"\n}\n')
        run = subprocess.run(command + ["--drift-rules", "--drift-ignore", rules], capture_output=True, text=True,
                             check=True)
        self.assertEqual(run.stdout, "2 directories: 2 changed\n3 changes, 0 drifted\n")
        columns = parquet.read_table(os.path.join(out, "directories.parquet")).column("drift_ignored")
        self.assertEqual(columns.to_pylist(), [0, 0])
        write(self.folder, "tree/b/main.tf", "nothing = 1\n")
        run = subprocess.run(command + ["--quiet"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout, run.stderr),
                         (1, "2 directories: 1 changed, 1 failed\n1 changes, 0 drifted\n", ""))


def is_alive(process):
    try:
        with open("/proc/%d/stat" % process, encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
