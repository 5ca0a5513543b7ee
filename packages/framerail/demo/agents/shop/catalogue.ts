// The shop's backend, played by a list.

const OFFERS = [
  { id: "OFF_1", title: "Two for one on roasted coffee", shop: "Kaffeehaus am Markt", price: 8.9, distance_m: 250 },
  { id: "OFF_2", title: "A croissant with any breakfast", shop: "Café Lumière", price: 6.5, distance_m: 400 },
  { id: "OFF_3", title: "Filter papers, three packs", shop: "Rösterei Süd", price: 4.2, distance_m: 900 },
];

export function offersNear(query: string) {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean);
  const fits = OFFERS.filter(({ title }) => words.some((word) => title.toLowerCase().includes(word)));
  return fits.length > 0 ? fits : OFFERS;
}
