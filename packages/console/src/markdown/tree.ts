// Markdown as a tree: what the parser makes and the renderer shows. There is no node for HTML: what looks like it is text.

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "emphasis" | "deleted"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] };

export type Align = "start" | "center" | "end" | undefined;

export type Block =
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly children: readonly Block[] }
  | {
      readonly kind: "list";
      /** Undefined for bullets. */
      readonly start: number | undefined;
      readonly items: readonly (readonly Block[])[];
    }
  | {
      readonly kind: "table";
      readonly align: readonly Align[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: "rule" };
