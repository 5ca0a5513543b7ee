// Keeps a list at its end while it grows, unless somebody has scrolled away from there.

import type { RefObject } from "react";
import { useEffect } from "react";
import { FOLLOW_PX } from "../limits.js";

/** Goes to the end whenever `key` changes, and follows from there. */
export function useFollowing(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  key: unknown,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key is the reason to begin again.
  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (outer === null || inner === null) return undefined;
    let isFollowing = true;
    const onScroll = () => {
      isFollowing = outer.scrollHeight - outer.scrollTop - outer.clientHeight < FOLLOW_PX;
    };
    const observer = new ResizeObserver(() => {
      if (isFollowing) outer.scrollTop = outer.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(outer);
    outer.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      outer.removeEventListener("scroll", onScroll);
    };
  }, [scroller, content, key]);
}
