// Which addresses a link may lead to.
//   L1. Only http, https and mailto, written in full. What a browser would make of the rest is not ours to guess: control
//       characters, which browsers leave out, make an address unsafe.

import { LINK_LENGTH_MAX } from "../limits.js";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** The address as a browser would write it; undefined for one that is not safe. */
export function safeLink(address: string): string | undefined {
  if (address.length > LINK_LENGTH_MAX || hasControlCharacter(address)) return undefined;
  if (!/^(?:https?:\/\/|mailto:)/i.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return SCHEMES.has(url.protocol) ? url.href : undefined;
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
}
