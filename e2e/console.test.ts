// What a person sees of turns in the console, judged in a real browser on the running program. It is one file, because one
// program and one browser serve all of it, and starting those is most of the time it takes. What happens when the program
// or the network goes away is told in console-outages.test.ts, which has to break its own.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ATTACKS } from "../packages/console/src/markdown/testing/attacks.js";
import { openChromium, openConsole, openTab, PHONE, scrollsSideways, takeScreenshot } from "./console/console-page.js";
import type { ConsoleProgram } from "./console/console-program.js";
import { startConsoleProgram } from "./console/console-program.js";
import { readHistory, storedConversation } from "./console/read-history.js";
import { call } from "./harness/caller.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const words = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1} `).join("");

let program: ConsoleProgram;
let browser: Browser;
beforeAll(async () => {
  [program, browser] = await Promise.all([startConsoleProgram(), openChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

/** What axe has to say against the page as it stands. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`);
}

test("a link from another site leads to the console [D-18]", async () => {
  const page = await browser.newPage();
  await page.goto(`data:text/html,<a href="${program.url}/">console</a>`);
  await page.getByText("console").click();
  await page.getByRole("button", { name: "Send" }).waitFor();
  await page.close();
});

describe("a turn in the console", () => {
  test("shows status, reasoning, tools, data in its place, the answer, its end and what it cost [W-FR-16, W-MAP-5, P-50]", async () => {
    const shown = await openConsole(browser, program.url);
    const { page } = shown;
    await shown.choose("shop");
    await shown.send("Any offers near me?");
    expect(await shown.ended()).toBe("Completed");
    expect(await shown.placeholders()).toContain("offer_list is loading…");
    expect(await page.locator(".placeholder").count()).toBe(0);
    expect(await page.locator(".component", { hasText: "OFF_1" }).count()).toBe(1);
    expect(await page.locator(".text li strong").allTextContents()).toEqual([
      "Two for one on roasted coffee",
      "A croissant with any breakfast",
    ]);
    await page.locator('.tool[data-state="failed"]', { hasText: "points_balance" }).waitFor();
    expect(await page.locator('.tool[data-state="finished"]').count()).toBe(4);
    await page.locator(".foot", { hasText: /\d+ tokens.*\$0\.\d+/ }).waitFor();
    expect(await page.locator(".status").count()).toBe(0);
    expect((await shown.statuses()).join("\n")).toContain("en ltr Comparing 2 prices…");
    await page.getByText("Reasoning", { exact: true }).click();
    await page.getByText("Offers and points are two questions").waitFor();
    expect(await page.getByRole("status").textContent()).toBe("The answer is over: Completed.");
    expect(await shown.failures()).toEqual([]);
    await takeScreenshot(page, "console-light");
    await shown.close();
  });

  test("stops at once when told to, and what was written stays [G5]", async () => {
    const shown = await openConsole(browser, program.url);
    await shown.choose("writer");
    await shown.send("Write something long");
    await expect.poll(() => shown.answer(), { timeout: 30_000 }).toContain("No number is boring");
    await shown.page.getByRole("button", { name: "Stop" }).click();
    expect(await shown.ended()).toBe("Stopped");
    await shown.page.getByRole("button", { name: "Send" }).waitFor();
    const { lastAnswer } = await readHistory(shown.page, program.url);
    expect(lastAnswer).toContain("No number is boring");
    expect(await shown.answer()).toContain("No number is boring");
    await shown.page.locator(".timeline .name", { hasText: "REQUEST_CANCELLED" }).waitFor();
    expect(await shown.failures()).toEqual([]);
    await shown.close();
  });

  test("that fails says so by its code and nothing more, and the next message is answered [G1, G7]", async () => {
    const shown = await openConsole(browser, program.url);
    await shown.choose("echo");
    await shown.send("break");
    expect(await shown.ended()).toBe("Failed: INTERNAL_ERROR");
    await shown.send("once more");
    await expect.poll(() => shown.entries.count()).toBe(2);
    expect(await shown.ended()).toBe("Completed");
    expect(await shown.page.content()).not.toContain("C4NARY");
    await shown.close();
  });

  test("goes on after a reload in mid-answer exactly where it was, and begins no second one [G3]", async () => {
    const shown = await openConsole(browser, program.url);
    const { page } = shown;
    await shown.choose("story");
    await shown.send("count 150 every 20");
    await expect.poll(() => shown.answer(), { timeout: 30_000 }).toMatch(/^1 2 3 4 5 /);
    await page.reload();
    await shown.entries.first().waitFor();
    expect(await shown.entries.locator(".said").allTextContents()).toEqual(["count 150 every 20"]);
    expect(await shown.ended()).toBe("Completed");
    const { lastAnswer, turns } = await readHistory(page, program.url);
    expect([lastAnswer, turns]).toEqual([words(150), 1]);
    expect((await shown.answer()).trim()).toBe(lastAnswer.trim());
    // And once more from history and the log, long after the end.
    await page.reload();
    expect(await shown.ended()).toBe("Completed");
    expect((await shown.answer()).trim()).toBe(lastAnswer.trim());
    expect(await shown.failures()).toEqual([]);
    await shown.close();
  });

  test("that was sent and not heard of before a reload is the same turn afterwards, never a second one [G3]", async () => {
    const shown = await openConsole(browser, program.url);
    const { page } = shown;
    await shown.choose("story");
    // The server takes the message; the page hears nothing.
    const isTaken = new Promise<void>((resolve) => {
      void page.route("**/turns", async (route) => {
        await route.fetch();
        resolve();
      });
    });
    await shown.send("count 5 every 0");
    await isTaken;
    await page.unroute("**/turns");
    await page.reload();
    expect(await shown.ended()).toBe("Completed");
    expect((await shown.answer()).trim()).toBe(words(5).trim());
    expect(await shown.entries.count()).toBe(1);
    expect((await readHistory(page, program.url)).turns).toBe(1);
    await shown.close();
  });

  test("streams in two tabs at once, and both show the same to the last word [G2] [C-29]", async () => {
    const first = await openConsole(browser, program.url);
    await first.choose("story");
    await first.send("count 150 every 20");
    await expect.poll(() => first.answer(), { timeout: 30_000 }).toMatch(/^1 2 3 /);
    const second = await openTab(first.context, first.page.url());
    await expect.poll(() => second.answer(), { timeout: 30_000 }).toMatch(/^1 2 3 /);
    expect(await second.page.getByRole("button", { name: "Stop" }).isVisible()).toBe(true);
    expect(await Promise.all([first.ended(), second.ended()])).toEqual(["Completed", "Completed"]);
    expect([(await first.answer()).trim(), (await second.answer()).trim()]).toEqual([
      words(150).trim(),
      words(150).trim(),
    ]);
    // What one sends next, the other shows as well.
    await second.send("count 3 every 0");
    await expect.poll(() => first.entries.count(), { timeout: 30_000 }).toBe(2);
    await expect.poll(() => first.answer(), { timeout: 30_000 }).toMatch(/^1 2 3\s*$/);
    expect([...(await first.failures()), ...(await second.failures())]).toEqual([]);
    await first.close();
  });

  test("tells its status in the language that was chosen, from the right where that is written so [W-FR-3b]", async () => {
    const shown = await openConsole(browser, program.url);
    await shown.choose("shop", "de");
    await shown.send("Angebote?");
    await shown.ended();
    expect((await shown.statuses()).join("\n")).toContain("de ltr 2 Preise werden verglichen…");
    // In the same conversation: another session of it speaks another language.
    await shown.page.getByRole("combobox", { name: "Language of status" }).selectOption("ar");
    await shown.send("عروض؟");
    await expect.poll(() => shown.entries.count()).toBe(2);
    await shown.ended();
    expect((await shown.statuses()).join("\n")).toContain("ar rtl جارٍ مقارنة سعرين…");
    expect(await shown.entries.last().locator(".parts").getAttribute("dir")).toBe("rtl");
    expect((await readHistory(shown.page, program.url)).turns).toBe(2);
    await shown.close();
  });

  test("is asked for in no language that the console would forget: none can be chosen before there is a conversation [W-FR-3b]", async () => {
    const context = await browser.newContext({ locale: "en-GB" });
    const held: Route[] = [];
    await context.route("**/v1/agents", (route) => void held.push(route));
    const { page } = await openTab(context, program.url);
    const language = page.getByRole("combobox", { name: "Language of status" });
    await expect.poll(() => held.length).toBeGreaterThan(0);
    expect(await language.isDisabled()).toBe(true);
    await Promise.all(held.map((route) => route.continue()));
    await language.selectOption("de");
    expect(await language.inputValue()).toBe("de");
    await context.close();
  });
});

describe("the inspector", () => {
  test("has every frame of the turn, its JSON on demand, and what the registry says of a status [G2]", async () => {
    const shown = await openConsole(browser, program.url);
    const { page } = shown;
    await shown.choose("shop");
    await shown.send("Any offers?");
    await shown.ended();
    const { last } = await storedConversation(page);
    const { json } = await call(`${program.url}/v1/turns/${last.turnId}`);
    await page.locator(".facts div", { hasText: `Frames${json.last_seq}` }).waitFor();
    await page.locator(".facts div", { hasText: /First frame\d/ }).waitFor();
    await page.getByRole("button", { name: "comparing_prices" }).click();
    await page.locator(".detail", { hasText: '"event_id": "comparing_prices"' }).waitFor();
    await page.locator(".policy", { hasText: "transform" }).waitFor();
    await page.locator(".policy", { hasText: "offers" }).waitFor();
    for (const name of [
      "offers",
      "rewards",
      "search_offers",
      "render_offers",
      "offer_list",
      "answer",
      "PARTIAL_FAN_OUT",
    ])
      expect(await page.locator(".timeline .name", { hasText: new RegExp(`^${name}$`) }).count(), name).toBe(1);
    await takeScreenshot(page, "console-inspector");
    expect(await shown.failures()).toEqual([]);
    await shown.close();
  });

  test("makes a few rows of five thousand frames, and reaches the last by one key [G8]", async () => {
    const shown = await openConsole(browser, program.url);
    const { page } = shown;
    await shown.choose("story");
    await shown.send("count 5000 every 0");
    expect(await shown.ended()).toBe("Completed");
    await page.locator(".facts div", { hasText: "Frames500" }).waitFor();
    const list = page.getByRole("listbox");
    expect(await list.getByRole("option").count()).toBeLessThan(80);
    await list.focus();
    await page.keyboard.press("Home");
    await page.locator(".detail", { hasText: '"event_type": "response_id"' }).waitFor();
    await page.keyboard.press("End");
    await page.locator(".detail", { hasText: '"event_type": "completed"' }).waitFor();
    expect(await list.getByRole("option", { selected: true }).getAttribute("aria-posinset")).toMatch(/^500\d$/);
    expect(await list.getByRole("option").count()).toBeLessThan(80);
    await shown.close();
  });
});

describe("anybody can use the console", () => {
  test("with the keyboard alone: focus is seen, Enter sends, Shift and Enter breaks the line, Escape stops", async () => {
    const shown = await openConsole(browser, program.url);
    const { page } = shown;
    await shown.choose("story");
    const field = page.getByRole("textbox", { name: "Message" });
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("count 2000 every 20");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("please");
    expect(await field.inputValue()).toBe("count 2000 every 20\nplease");
    await page.keyboard.press("Enter");
    await expect.poll(() => shown.answer(), { timeout: 30_000 }).toMatch(/^1 2 3 /);
    await page.keyboard.press("Escape");
    expect(await shown.ended()).toBe("Stopped");
    const stops: string[] = [];
    for (let step = 0; step < 40 && !stops.includes("New conversation"); step += 1) {
      await page.keyboard.press("Shift+Tab");
      const [name, outline] = await page.evaluate<[string, string]>(`(() => {
        const own = document.activeElement;
        const shown = own.matches("input[type=radio]") ? own.nextElementSibling : own;
        return [own.textContent.trim() || own.getAttribute("aria-label") || own.tagName, getComputedStyle(shown).outlineStyle];
      })()`);
      stops.push(name);
      expect(outline, name).not.toBe("none");
    }
    expect(stops).toContain("Inspect");
    await page.keyboard.press("Enter");
    await page.getByText("Talk with story").waitFor();
    expect(await shown.failures()).toEqual([]);
    await shown.close();
  });

  test("on a phone: nothing is wider than the screen, and everything is in reach", async () => {
    const shown = await openConsole(browser, program.url, { viewport: PHONE, hasTouch: true, isMobile: true });
    const { page } = shown;
    await shown.choose("shop");
    await shown.send("Any offers near me?");
    await shown.ended();
    await takeScreenshot(page, "console-phone");
    expect(await scrollsSideways(page)).toBe(false);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Inspector" }).click();
    await page.getByRole("button", { name: "comparing_prices" }).click();
    await page.locator(".detail").waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Chat", exact: true }).click();
    await shown.choose("echo");
    await shown.send(`${"x".repeat(400)} https://example.org/${"y".repeat(400)} \`${"z".repeat(400)}\``);
    await shown.ended();
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole("button", { name: "Conversations", exact: true }).click();
    await page.getByRole("navigation").getByRole("button", { name: "Any offers near me?" }).first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await shown.close();
  });

  test("in light and in dark, with nothing for axe to complain about", async () => {
    const shown = await openConsole(browser, program.url, { colorScheme: "dark" });
    const { page } = shown;
    expect(await findBarriers(page)).toEqual([]);
    await shown.choose("writer");
    await shown.send("Write");
    await expect.poll(() => shown.answer(), { timeout: 30_000 }).toContain("is prime");
    await takeScreenshot(page, "console-dark");
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await shown.ended();
    await page.getByRole("listbox").getByRole("option").first().click();
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const dark = await ground();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("radio", { name: "Light" }).check();
    expect(await ground()).not.toBe(dark);
    expect(await findBarriers(page)).toEqual([]);
    // Chosen against the system, and kept over a reload.
    await page.reload();
    await shown.entries.first().waitFor();
    expect(await ground()).not.toBe(dark);
    await shown.close();
  });
});

describe("what others write into the console", () => {
  test("is text: no script runs, no policy is broken, no element is made of it", async () => {
    const shown = await openConsole(browser, program.url);
    const { page } = shown;
    await shown.choose("echo");
    const harmless = naughtyStrings.filter((text) => text.trim() !== "");
    const batches = [
      ATTACKS.join("\n\n"),
      ATTACKS.join("\n"),
      ...inBatches(harmless, 130).map((all) => all.join("\n\n")),
    ];
    for (const [index, batch] of batches.entries()) {
      await shown.send(batch);
      await expect.poll(() => shown.entries.count(), { timeout: 30_000 }).toBe(index + 1);
      expect(await shown.ended(), batch.slice(0, 60)).toBe("Completed");
    }
    const strange = await page.evaluate<string[]>(`[...document.querySelectorAll(".entry *")].flatMap((element) => {
      const known = /^(?:SECTION|DIV|P|SPAN|H[3-6]|UL|OL|LI|BLOCKQUOTE|HR|TABLE|THEAD|TBODY|TR|TH|TD|PRE|CODE|STRONG|EM|DEL|A|DETAILS|SUMMARY|DL|DT|DD|FOOTER|BUTTON)$/;
      const isOdd = !known.test(element.tagName) || [...element.attributes].some(({ name }) => /^(?:on|style|src)/.test(name));
      const isUnsafe = element.tagName === "A" && !/^(?:https?|mailto):/.test(element.href);
      return isOdd || isUnsafe ? [element.outerHTML.slice(0, 200)] : [];
    })`);
    expect(strange).toEqual([]);
    expect(await page.locator(".text", { hasText: "<script>alert(1)</script>" }).count()).toBeGreaterThan(0);
    expect(await shown.failures()).toEqual([]);
    await shown.close();
  });

  test("into its storage is passed over: the page opens and remembers anew", async () => {
    const context = await browser.newContext();
    const setUp = await context.newPage();
    await setUp.goto(program.url);
    await setUp.evaluate(`localStorage.setItem("framerail.conversations", "[{\\"id\\":1}, {{{");
      localStorage.setItem("framerail.theme", "<script>")`);
    await setUp.close();
    const shown = await openTab(context, `${program.url}/#<img src=x onerror=alert(1)>`);
    await shown.choose("story");
    await shown.send("count 3 every 0");
    expect(await shown.ended()).toBe("Completed");
    expect((await storedConversation(shown.page)).last.turnId).toMatch(/^[\w-]{36}$/);
    expect(await shown.failures()).toEqual([]);
    await context.close();
  });
});

function inBatches<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
