// Holds the suite's results against what is expected to fail:  node judge.mjs FOLDER SET...
//
// The suite's own reading of the expectations is lenient: it leaves out the scenarios that a set does not score, and
// lets an entry pass whose check is not there any more. Here every scenario of a set counts, save those of extensions that the server
// does not offer; a warning, or a check that was skipped, is a failure; and each entry has to name a check that does fail.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const here = dirname(fileURLToPath(import.meta.url));
const most = 4; // expected failures, in all sets together
const bad = new Set(["FAILURE", "WARNING", "SKIPPED"]);
const documented = readFileSync(join(here, "../../docs/conformance.md"), "utf8");
const problems = [];

// expectations are the entries of a set's file: scenario:check, with the reason as the comment above it.
function expectations(set) {
  const entries = new Map();
  let reason = "";
  for (const line of readFileSync(join(here, `expected-${set}.yaml`), "utf8").split("\n")) {
    const comment = line.match(/^\s+# ?(.*)$/);
    const entry = line.match(/^\s*- (\S+)$/);
    if (comment) {
      reason += (reason && " ") + comment[1];
    } else if (entry) {
      if (!entry[1].includes(":")) problems.push(`${set}: ${entry[1]} names a whole scenario; name single checks`);
      if (!reason) problems.push(`${set}: ${entry[1]} has no reason above it`);
      entries.set(entry[1], { reason, seen: false });
      reason = "";
    } else if (line.trim() && !/^#|^server:( \[\])?$/.test(line)) {
      problems.push(`${set}: can't read the line ${JSON.stringify(line)} of what is expected`);
    }
  }
  return entries;
}

// scenarios are those of a set that count, and those of extensions.
function scenarios(set) {
  const file = join(here, "node_modules/@modelcontextprotocol/conformance/requirements", `${set}.yaml`);
  const { server, not_scored: others } = parse(readFileSync(file, "utf8"));
  const ours = others.filter((o) => o.leg === "server");
  const extension = (o) => o.reason === "extension";
  return {
    count: [...server, ...ours.filter((o) => !extension(o)).map((o) => o.scenario)],
    extensions: ours.filter(extension).map((o) => o.scenario),
  };
}

// checksOf reads the last results of a scenario; undefined when it did not run.
function checksOf(folder, scenario) {
  const runs = readdirSync(folder).filter((f) => f.replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "") === `server-${scenario}`);
  const file = runs.length > 0 && join(folder, runs.sort().at(-1), "checks.json");
  return file && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

function judge(folder, set) {
  const expected = expectations(set);
  const { count, extensions } = scenarios(set);
  let passed = 0;
  for (const scenario of count) {
    const checks = checksOf(join(folder, set), scenario);
    if (!checks?.length) {
      problems.push(`${set}: ${scenario} did not run`);
      continue;
    }
    for (const check of checks) {
      const name = `${scenario}:${check.id}`;
      if (!bad.has(check.status)) {
        passed += check.status === "SUCCESS";
      } else if (expected.has(name)) {
        expected.get(name).seen = true;
      } else {
        problems.push(`${set}: ${name}: ${check.status}: ${check.errorMessage ?? JSON.stringify(check.details ?? {})}`);
      }
    }
  }
  for (const [name, e] of expected) {
    if (!e.seen) problems.push(`${set}: ${name} is expected to fail and does not; take it out of expected-${set}.yaml`);
  }
  if (passed === 0) problems.push(`${set}: nothing passed`);
  console.log(`conformance ${set}: ${count.length} scenarios, ${passed} checks passed, ${expected.size} expected to fail` +
    (extensions.length ? `; ${extensions.length} scenarios of extensions that are not offered do not count` : ""));
  const row = `| ${set} | ${count.length} | ${passed} | ${expected.size} |`;
  if (!documented.includes(row)) problems.push(`${set}: docs/conformance.md does not say: ${row}`);
  for (const [name, e] of expected) console.log(`  expected: ${name}\n    ${e.reason}`);
  return expected.size;
}

const [folder, ...sets] = process.argv.slice(2);
const entries = sets.map((set) => judge(folder, set)).reduce((a, b) => a + b, 0);
if (entries > most) problems.push(`${entries} failures are expected; at most ${most} may be`);
for (const p of problems) console.log(`FAILED ${p}`);
console.log(problems.length ? `conformance: ${problems.length} problems` : "conformance: passed");
process.exit(problems.length ? 1 : 0);
