// Every export of the program has a sentence that says what it is. Options have theirs in their description.
import { globSync, readFileSync } from "node:fs";
import process from "node:process";

const declaration = /^export (?:async )?(?:function\*?|const|interface|type|class) ([A-Za-z]\w*)/;
const option = /^export const \w+: Option</;

const bare = globSync(["src/**/*.ts", "cmd/**/*.ts"]).flatMap((file) => {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, position) => {
    const [, name] = declaration.exec(line) ?? [];
    const isBare = name !== undefined && !option.test(line) && !lines[position - 1]?.endsWith("*/");
    return isBare ? [`${file}:${position + 1} exports ${name} without a sentence of TSDoc`] : [];
  });
});
for (const line of bare) console.error(line);
process.exitCode = bare.length > 0 ? 1 : 0;
