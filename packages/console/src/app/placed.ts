// A part of a text or of a list of data is nothing but what stands at its place: its key is that place.

export interface Placed<T> {
  readonly key: string;
  readonly value: T;
}

export function placed<T>(parts: readonly T[]): readonly Placed<T>[] {
  return parts.map((value, place) => ({ key: String(place), value }));
}
