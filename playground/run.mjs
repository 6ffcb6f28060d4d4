// Runs the library of the page in Node: node run.mjs PAGE passes|run|grid FILE [PIPELINE] prints the answer as JSON.
import { readFileSync } from "fs";
import { gunzipSync } from "zlib";

const [, , page, what, file, pipeline = ""] = process.argv;
if (!file) {
  console.error("usage: node run.mjs PAGE passes|run|grid FILE [PIPELINE]");
  process.exit(2);
}
const html = readFileSync(page, "utf8");
const element = (id) => html.match(new RegExp(`<script[^>]* id="${id}">([\\s\\S]*?)</script>`))[1];
const engine = new Function(element("engine") + "\nreturn engine;")();
const call = await engine.open(gunzipSync(Buffer.from(element("wasm"), "base64")));
for (const one of file.split(",")) console.log(JSON.stringify(await call(what, readFileSync(one, "utf8"), pipeline)));
