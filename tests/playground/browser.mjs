// Opens the playground in headless Chromium over its debugging pipe and uses it: node browser.mjs CHROMIUM PAGE [PICTURE.png]
// Prints what the page shows as JSON: after loading, a run, kernels that race, the timeline, a link, an error, a stop.
import { spawn } from "child_process";
import { mkdtempSync, rmSync, writeFileSync } from "fs";
import { tmpdir } from "os";
import { join } from "path";

const [, , chromium, page, picture] = process.argv;
const profile = mkdtempSync(join(tmpdir(), "playground-"));
const browser = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--window-size=1300,860"],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
let next = 0, rest = "";
const waiting = new Map();
browser.stdio[4].on("data", (data) => {
  rest += data;
  for (let end; (end = rest.indexOf("\0")) >= 0; rest = rest.slice(end + 1)) {
    const message = JSON.parse(rest.slice(0, end));
    waiting.get(message.id)?.(message);
  }
});
const send = (method, params = {}, sessionId) => new Promise((done, fail) => {
  waiting.set(++next, (m) => (m.error ? fail(new Error(m.error.message)) : done(m.result)));
  browser.stdio[3].write(JSON.stringify({ id: next, method, params, sessionId }) + "\0");
});

const seen = {};
try {
  const open = async (url) => {
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    await send("Page.navigate", { url }, sessionId);
    for (let i = 0; i < 100; i++) { // the frame's scripts start again while it loads
      const ready = await send("Runtime.evaluate", { expression: "document.readyState + location.protocol" }, sessionId).catch(() => null);
      if (ready?.result.value === "completefile:") break;
      await new Promise((done) => setTimeout(done, 100));
    }
    return sessionId;
  };
  const sessionId = await open(page);
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", { expression: `(async () => { ${expression} })()`, awaitPromise: true, returnByValue: true }, sessionId);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  };
  const until = `const until = async (ready) => { for (let i = 0; i < 1200 && !ready(); i++) await new Promise((r) => setTimeout(r, 50)); if (!ready()) throw new Error("nothing after a minute: " + document.body.innerText.slice(0, 400)); };
    const $ = (id) => document.getElementById(id);`;
  const shot = async (file) => picture && writeFileSync(file, Buffer.from((await send("Page.captureScreenshot", {}, sessionId)).data, "base64"));
  seen.loaded = await evaluate(`${until} await until(() => document.body?.dataset.ready); return { status: $("status").textContent, stages: [...document.querySelectorAll("#list summary")].map((s) => s.textContent),
    examples: [...$("examples").options].map((o) => o.textContent), changed: document.querySelectorAll("#list .add").length };`);
  seen.run = await evaluate(`${until} $("run").click(); await until(() => $("result").textContent); return $("result").textContent;`);
  seen.race = await evaluate(`${until} $("examples").selectedIndex = 3; $("examples").onchange(); await until(() => $("text").value.includes("enqueue_program") && /\\d+ passes/.test($("status").textContent));
    $("grid").click(); await until(() => document.querySelector("iframe")); return $("error").textContent;`);
  seen.timeline = await evaluate(`${until} const frame = document.querySelector("iframe"); await until(() => frame.contentDocument?.body?.textContent); return frame.contentDocument.querySelectorAll("canvas, svg").length;`);
  await new Promise((done) => setTimeout(done, 500));
  await shot(picture);
  seen.kernels = await evaluate(`${until} $("examples").selectedIndex = 1; $("examples").onchange(); await until(() => /1\\d|2\\d|3\\d passes|\\d+ passes/.test($("status").textContent) && document.querySelectorAll("#list summary").length > 20);
    $("grid").click(); await until(() => $("result").textContent.includes("out0")); return $("result").textContent;`);
  seen.link = await evaluate(`${until} $("text").value = "func.func @f() { return }"; $("pipeline").value = ""; $("link").click(); await until(() => location.hash.length > 1); return location.hash;`);
  seen.error = await evaluate(`${until} $("text").value = "func.func @f() -> i32 {"; $("text").oninput(); await until(() => $("error").textContent.includes("program.mlir")); return $("error").textContent;`);
  seen.stopped = await evaluate(`${until} $("text").value = \`func.func @main(%x: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.while(%i = %x) : tensor<i32>
      cond { %t = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %t : tensor<i1> }
      do { stablehlo.return %i : tensor<i32> }
    return %0 : tensor<i32> }\`; $("run").click(); await new Promise((r) => setTimeout(r, 1500)); $("stop").click(); await until(() => $("error").textContent === "Stopped."); return $("error").textContent;`);
  seen.after = await evaluate(`${until} $("examples").selectedIndex = 0; $("examples").onchange(); await until(() => /1\\d passes/.test($("status").textContent)); return $("status").textContent;`);
  seen.damaged = await evaluate(`${until} location.hash = "#damaged"; await until(() => $("error").textContent.includes("damaged")); return $("error").textContent;`);
  const second = await open(page + seen.link);
  const { result } = await send("Runtime.evaluate", { expression: `(async () => { ${until} await until(() => document.body?.dataset.ready); return $("text").value; })()`, awaitPromise: true, returnByValue: true }, second);
  seen.from_link = result.value;
  console.log(JSON.stringify(seen));
} catch (error) {
  console.error(JSON.stringify(seen), error.message);
  process.exitCode = 1;
} finally {
  browser.kill();
  browser.on("exit", () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
}
