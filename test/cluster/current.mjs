// Runs the statements of a file on the engine of chdb, at most three of a kind, in their order, and checks that it knows the settings of another
// file. An INSERT gets its rows from the driver, so it is run without rows.
import { readFileSync } from "node:fs";
import { Session } from "chdb";

const lines = (file) => readFileSync(file, "utf8").split("\n").filter((line) => line.trim());
const [statements, settings] = process.argv.slice(2).map(lines);

// kind returns a statement without its values and table version, so that each kind of statement is run a few times only.
const kind = (text) => text.replace(/'[^']*'/g, "?").replace(/\b\d+\b/g, "#").replace(/\(#(, #)*\)/g, "(#)");
const session = new Session();
const counts = {}, seen = new Map();
let failed = 0;
const run = (text) => {
  try {
    return session.query(text, "TSV");
  } catch (problem) {
    failed++;
    console.error(`${text}\n  ${problem.message.split("\n")[0]}`);
    return "";
  }
};
const version = run("SELECT version()").trim();
for (let text of statements) {
  text = text.trim();
  const n = seen.get(kind(text)) ?? 0;
  seen.set(kind(text), n + 1);
  if (n > 2 && !text.startsWith("CREATE")) continue;
  const insert = /^INSERT INTO (\S+) \((.*?)\)/.exec(text);
  if (insert) text = `INSERT INTO ${insert[1]} (${insert[2]}) SELECT ${insert[2]} FROM ${insert[1]} WHERE 0`;
  counts[text.split(" ")[0]] = (counts[text.split(" ")[0]] ?? 0) + 1;
  run(text);
}
for (const name of settings) {
  if (run(`SELECT count() FROM system.settings WHERE name = '${name}'`).trim() !== "1") {
    failed++;
    console.error(`setting ${name}: unknown to ${version}`);
  }
}
session.cleanup();
console.log(`ClickHouse ${version}: ${Object.entries(counts).map(([word, n]) => `${n} ${word}`).join(", ")}; ${settings.length} settings; ${failed} failed`);
process.exit(failed > 0 || Object.keys(counts).length < 4 ? 1 : 0);
