/** One line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A whole scrape: samples in their order, and what was said of each metric. */
export interface Scrape {
  readonly samples: readonly Sample[];
  readonly help: ReadonlyMap<string, string>;
  readonly type: ReadonlyMap<string, string>;
}

/**
 * Reads the text exposition format strictly
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
 * @throws Error naming the first line that is not of the format
 */
export function readSamples(text: string): Scrape {
  const samples: Sample[] = [];
  const help = new Map<string, string>();
  const type = new Map<string, string>();
  if (!text.endsWith("\n")) throw new Error("the last line has no line feed");
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, keyword, metric = "", rest = ""] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (keyword !== undefined) {
      const told = keyword === "HELP" ? help : type;
      if (told.has(metric)) throw new Error(`a second ${keyword} for ${metric}`);
      told.set(metric, rest);
      continue;
    }
    samples.push(readSample(line));
  }
  return { samples, help, type };
}

function readSample(line: string): Sample {
  const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
  const [, name = "", labelText = "", number = ""] = match ?? [];
  const value = number === "+Inf" ? Number.POSITIVE_INFINITY : Number(number);
  if (match === null || Number.isNaN(value)) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  let rest = labelText;
  while (rest !== "") {
    const [whole, label, text] = /^([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/.exec(rest) ?? [];
    if (whole === undefined || label === undefined || text === undefined) throw new Error(`not labels: ${line}`);
    if (label in labels) throw new Error(`label ${label} twice: ${line}`);
    labels[label] = text.replaceAll(/\\(["\\n])/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
    rest = rest.slice(whole.length);
  }
  return { name, labels, value };
}
