// The console in a real browser: a page that is watched for whatever must not happen, and the words for its parts.
//   W1. A dialog, an error of the page and a breach of its policy are failures, whoever caused them. A request that fails
//       because a test took the server away is not.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { findProgram } from "../../packages/framerail/src/testing/programs.js";

const SCREENSHOTS = join(import.meta.dirname, "../../docs/screenshots");
const WAIT_MS_MAX = 30_000;
const NETWORK = /net::ERR_|Failed to load resource/;

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 360, height: 740 };

export function openChromium(...more: readonly string[]): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-background-networking", "--no-first-run", "--disable-sync", ...more];
  return chromium.launch({ executablePath: findProgram("chromium"), args });
}

export interface ConsolePage {
  readonly page: Page;
  /** What must not have happened (W1). */
  failures(): Promise<readonly string[]>;
  /** Chooses an agent, in a new conversation. */
  choose(agentId: string, locale?: string): Promise<void>;
  send(message: string): Promise<void>;
  /** The entries of the conversation, oldest first. */
  readonly entries: Locator;
  /** The text of the last answer as it is seen. */
  answer(): Promise<string>;
  /** Waits for the end of the last turn, and gives what it is called. */
  ended(): Promise<string>;
  /** Every status line that was on the screen, with its language and direction. */
  statuses(): Promise<readonly string[]>;
  /** Every placeholder that was on the screen, as often as the page changed under it. */
  placeholders(): Promise<readonly string[]>;
}

/** A page of its own browser profile. */
export async function openConsole(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: DESKTOP, colorScheme: "light", locale: "en-GB", ...options });
  const opened = await openTab(context, url);
  return { ...opened, context, close: () => context.close() };
}

/** A page in a profile that others share: another tab. */
export async function openTab(context: BrowserContext, url: string): Promise<ConsolePage> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS_MAX);
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    seen.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !NETWORK.test(message.text())) seen.push(`console: ${message.text()}`);
  });
  await page.addInitScript(watchPage);
  await page.goto(url);
  const field = page.getByRole("textbox", { name: "Message" });
  await field.waitFor();
  const entries = page.locator(".entry");
  const last = entries.last();
  return {
    page,
    entries,
    async failures() {
      const breaches = await page.evaluate<string[]>("seenByTest.breaches");
      return [...seen, ...breaches.map((breach) => `policy: ${breach}`)];
    },
    async choose(agentId, locale) {
      const menu = page.getByRole("button", { name: "Conversations", exact: true });
      const isDrawer = await menu.isVisible();
      if (isDrawer) await menu.click();
      if (locale !== undefined) await page.getByRole("combobox", { name: "Language of status" }).selectOption(locale);
      await page.getByRole("combobox", { name: "Agent" }).selectOption(agentId);
      if (isDrawer && (await menu.getAttribute("aria-expanded")) === "true") await page.keyboard.press("Escape");
      await page.getByText(`Talk with ${agentId}`).waitFor();
    },
    async send(message) {
      await field.fill(message);
      await field.press("Enter");
    },
    answer: async () => (await last.locator(".text").allTextContents()).join(""),
    async ended() {
      await last.locator(".end").waitFor();
      return (await last.locator(".end").textContent()) ?? "";
    },
    statuses: () => page.evaluate<string[]>("seenByTest.statuses"),
    placeholders: () => page.evaluate<string[]>("seenByTest.placeholders"),
  };
}

/** Runs in the page, before anything of it does. */
function watchPage(): void {
  const seen = { breaches: [] as string[], statuses: [] as string[], placeholders: [] as string[] };
  Object.assign(globalThis, { seenByTest: seen });
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) => {
    seen.breaches.push(`${violatedDirective} ${blockedURI} ${sourceFile}`);
  });
  new MutationObserver(() => {
    for (const line of document.querySelectorAll<HTMLElement>(".status")) {
      const words = `${line.lang} ${line.dir} ${line.textContent}`;
      if (!seen.statuses.includes(words)) seen.statuses.push(words);
    }
    for (const { textContent } of document.querySelectorAll(".placeholder")) seen.placeholders.push(textContent ?? "");
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** For the documents; a run of the tests leaves them as they are. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.FRAMERAIL_SCREENSHOTS !== "1") return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: "disabled" });
}

/** Whether anything is wider than the screen. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
}
