// Seeds that once found a bug; they run in every test. A seed produces a different scenario whenever the generator
// changes. With older generators, these found a delivery that was overtaken after its release, and a node declared dead
// while it was still sending; the planted mistakes show that both would be found today. 9273 and the three before it
// found bugs that clock steps cause in leased retries or in statements that arrive late. In 493603178, the check itself
// was wrong. 3382951793 and 3382951879 reopened an endpoint before a retry was due.
export const KNOWN_SEEDS: readonly number[] = [
  15, 109, 122, 178, 200, 208, 314, 370, 560, 667, 1225, 2550, 3248, 5566, 6279, 9185, 9273, 493603178, 3382951793,
  3382951879,
];
