"""A PostgreSQL for worlds: the database `postgres`. {PG_STATE} is its address. After each step the log has a line for each
state that is stored."""
import contextlib
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import peers  # noqa: E402

TABLES = """SELECT coalesce(json_agg(json_build_array(table_schema, table_name)), '[]') FROM information_schema.columns
WHERE column_name = 'data' AND table_schema NOT IN ('pg_catalog', 'information_schema')"""
STATES = """SELECT coalesce(json_agg(json_build_array(name, data) ORDER BY name), '[]') FROM "%s"."%s" """
FORGET = """DO $$ DECLARE found text; BEGIN
FOR found IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
LOOP EXECUTE format('DROP SCHEMA %I CASCADE', found); END LOOP; CREATE SCHEMA public; END $$"""

# What psql says after each answer.
END = "-- end of the answer"


class Server:
    def __init__(self):
        self.stack = contextlib.ExitStack()
        self.url = self.stack.enter_context(peers.postgres())["PG_CONN_STR"]
        # One process for all queries: to start psql takes ten times as long as what is asked.
        self.client = self.stack.enter_context(subprocess.Popen(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", self.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        self.ask("SET client_min_messages = warning")

    def ask(self, query):
        self.client.stdin.write(query + ";\n\\echo %s\n" % END)
        self.client.stdin.flush()
        lines = []
        for line in self.client.stdout:
            if line.rstrip("\n") == END:
                return "".join(lines)
            lines.append(line)
        raise RuntimeError("psql has ended, at " + query)

    def names(self):
        return {"PG_STATE": self.url}

    def take_log(self):
        lines = []
        for schema, table in sorted(json.loads(self.ask(TABLES))):
            lines += ["%s.%s %s: %s" % (schema, table, name, described(data))
                      for name, data in json.loads(self.ask(STATES % (schema, table)))]
        return lines

    def reset(self):
        """Forgets everything, for the next world."""
        self.ask(FORGET)

    def stop(self):
        self.stack.close()


def described(data):
    """What a stored state says of itself that is the same in each run: OpenTofu writes some states again, with another
    serial, and some with resources that have no objects (differences.md)."""
    state = json.loads(data)
    if "encrypted_data" in state:
        return "encrypted"
    return "%d resources" % sum(bool(resource.get("instances")) for resource in state["resources"])


def start(work):
    return Server()
