import { describe, expect, test } from "vitest";
import type { ScreenDevice } from "./screen.js";
import { createScreen } from "./screen.js";

const LIVELY = { isLively: true, isShared: true };
const PLAIN_SCREEN = { isLively: false, isShared: true };
const PIPED = { isLively: false, isShared: false };

function setUp(device: Omit<ScreenDevice, "columns">, columns = 80) {
  const written: string[] = [];
  const terminal = {
    out: (text: string) => void written.push(`out:${text}`),
    err: (text: string) => void written.push(`err:${text}`),
  };
  const screen = createScreen(terminal, { ...device, columns: () => columns });
  const of = (name: "out" | "err") =>
    written.flatMap((text) => (text.startsWith(name) ? [text.slice(name.length + 1)] : [])).join("");
  return { screen, written, out: () => of("out"), err: () => of("err") };
}

describe("on a lively terminal", () => {
  test("a status is replaced by the next, and gone before the answer goes on", () => {
    const { screen, written } = setUp(LIVELY);
    screen.status("Searching…");
    screen.status("Comparing…");
    screen.text("Two");
    expect(written).toEqual([
      "err:\r\x1b[2K\x1b[2mSearching…\x1b[22m",
      "err:\r\x1b[2K\x1b[2mComparing…\x1b[22m",
      "err:\r\x1b[2K",
      "out:Two",
    ]);
  });

  test("a status is one line of the width at hand, with wide characters counted", () => {
    const { screen, err } = setUp(LIVELY, 12);
    screen.status("価格を比較しています\nsecond line");
    expect(err()).toBe("\r\x1b[2K\x1b[2m価格を比較…\x1b[22m");
  });

  test("the last column of the width stays free", () => {
    const { screen, err } = setUp(LIVELY, 12);
    screen.status("abcdefghijklmnop");
    expect(err()).toBe("\r\x1b[2K\x1b[2mabcdefghij…\x1b[22m");
  });

  test("a line about the answer begins on a line of its own, and the status stays below it", () => {
    const { screen, written } = setUp(LIVELY);
    screen.text("Two offers");
    screen.status("Comparing…");
    screen.line("✓ search_offers 0.4 s");
    expect(written).toEqual([
      "out:Two offers",
      "out:\n",
      "err:\r\x1b[2K\x1b[2mComparing…\x1b[22m",
      "err:\r\x1b[2K",
      "err:✓ search_offers 0.4 s\n",
      "err:\r\x1b[2K\x1b[2mComparing…\x1b[22m",
    ]);
  });
});

describe("where nothing can be replaced", () => {
  test("no escape sequence is written, and every status is a line, once", () => {
    const { screen, out, err } = setUp(PLAIN_SCREEN);
    screen.status("Searching…");
    screen.status("Searching…");
    screen.line("session 1", "quiet");
    screen.text("Two\x1b[31m offers");
    screen.line("✓ search 0.4 s");
    screen.text("near you");
    screen.endText();
    expect(err()).toBe("Searching…\nsession 1\n✓ search 0.4 s\n");
    expect(out()).toBe("Two offers\nnear you\n");
  });

  test("a pipe gets the answer and nothing else, ending with one line feed", () => {
    const { screen, out } = setUp(PIPED);
    screen.text("Two offers ");
    screen.line("✓ search 0.4 s");
    screen.status("Comparing…");
    screen.text("near you");
    screen.endText();
    screen.text("Next\n");
    screen.endText();
    expect(out()).toBe("Two offers near you\nNext\n");
  });
});

test("a sequence that one answer left open does not hide the next answer", () => {
  const { screen, out } = setUp(PIPED);
  screen.text("a\x1b]0;");
  screen.endText();
  screen.text("b");
  expect(out()).toBe("a\nb");
});
