// A long text to write: a walk through the numbers, in markdown. Every sentence is true, no two are alike, and it is the same
// every time, so that a reader who comes back can tell that nothing is missing.

const ROMAN = [
  ["C", 100],
  ["XC", 90],
  ["L", 50],
  ["XL", 40],
  ["X", 10],
  ["IX", 9],
  ["V", 5],
  ["IV", 4],
  ["I", 1],
] as const;

export function walkThroughNumbers(length: number): string {
  let text =
    "# A walk through the numbers\n\nNo number is boring for long. Here they are, one after the other, each with what it has to say for itself.\n";
  for (let number = 1; text.length < length; number += 1) {
    if (number % 10 === 1) text += `\n## From ${number} to ${number + 9}\n\n${tableOf(number)}\n`;
    text += `- ${describe(number)}\n`;
  }
  return text.slice(0, length);
}

function tableOf(first: number): string {
  const rows = [first, first + 4, first + 9].map((n) => `| ${n} | ${romanOf(n)} | ${n.toString(2)} | ${n * n} |`);
  return ["| number | Roman | binary | square |", "| --- | --- | --- | --- |", ...rows, ""].join("\n");
}

function describe(number: number): string {
  const divisors = Array.from({ length: number }, (_, index) => index + 1).filter((divisor) => number % divisor === 0);
  const factors = factorsOf(number);
  const sum = divisors.reduce((total, divisor) => total + divisor, 0) - number;
  if (number === 1)
    return "**1** divides everything and is divided by nothing but itself; it is neither prime nor composed.";
  if (factors.length === 1)
    return `**${number}** is prime: nothing divides it but 1 and itself. Its square is ${number ** 2}.`;
  const kind = sum === number ? "which makes it perfect" : sum > number ? "more than itself" : "less than itself";
  return `**${number}** is ${factors.join(" · ")}. It has ${divisors.length} divisors; those below it add up to ${sum}, ${kind}.`;
}

function factorsOf(number: number): number[] {
  const factors: number[] = [];
  for (let factor = 2, rest = number; rest > 1; factor += 1) {
    for (; rest % factor === 0; rest /= factor) factors.push(factor);
  }
  return factors;
}

function romanOf(number: number): string {
  let rest = number;
  return ROMAN.map(([letters, value]) => {
    const times = Math.floor(rest / value);
    rest -= times * value;
    return letters.repeat(times);
  }).join("");
}
