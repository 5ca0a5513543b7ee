// A part of the page that scrolls by itself: named, and in reach of the keyboard, as whatever scrolls must be.

import type { ReactNode, Ref } from "react";

export interface ScrollRegionProps {
  readonly label: string;
  readonly className?: string;
  readonly ref?: Ref<HTMLDivElement>;
  readonly children: ReactNode;
}

export function ScrollRegion({ label, className, ref, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it nobody scrolls by keyboard.
    <div ref={ref} className={className} tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
