import { quoteForeign } from "../system/escape.ts";

/** PATH_MAX of Linux: no path is cut. */
const longestPath = 4096;

/** A path or name as it may stand in a message: plain printable ASCII as it is, anything else in quotes and escaped. */
export function quote(text: string): string {
  return /^[!#-~]+( [!#-~]+)*$/.test(text) ? text : quoteForeign(text, longestPath);
}
