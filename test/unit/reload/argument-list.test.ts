import { describe, expect, test } from "vitest";
import { parseArgumentList } from "../../../src/reload/argument-list.ts";

describe("an argument list", () => {
  test.each([
    ["nginx -t", ["nginx", "-t"]],
    ["  nginx \t -t\n", ["nginx", "-t"]],
    [`nginx -c "/etc/my nginx.conf"`, ["nginx", "-c", "/etc/my nginx.conf"]],
    [`nginx -g 'daemon off; error_log "/dev/null";'`, ["nginx", "-g", 'daemon off; error_log "/dev/null";']],
    [`say "a \\"quoted\\" \\\\ word" and 'a \\ one'`, ["say", 'a "quoted" \\ word', "and", "a \\ one"]],
    [`say "a \\n is two characters"`, ["say", "a \\n is two characters"]],
    [`say a\\ b \\; ""`, ["say", "a b", ";", ""]],
    [`say joined" with "'this'`, ["say", "joined with this"]],
    [`say '$HOME' "*" "a|b"`, ["say", "$HOME", "*", "a|b"]],
    [
      "redis-cli CONFIG SET tls-cert-file /c tls-key-file /k",
      "redis-cli CONFIG SET tls-cert-file /c tls-key-file /k".split(" "),
    ],
    ["systemctl reload nginx@a.service", ["systemctl", "reload", "nginx@a.service"]],
    ['["sh","-c","nginx -t && nginx -s reload"]', ["sh", "-c", "nginx -t && nginx -s reload"]],
    [' ["nginx"] ', ["nginx"]],
  ])("is read from %j", (text, command) => {
    expect(parseArgumentList(text)).toEqual({ kind: "arguments", command });
  });

  test.each([
    ["", "there is no command in it"],
    ["   ", "there is no command in it"],
    ["[]", "there is no command in it"],
    ['""', "there is no command in it"],
    ['[""]', "there is no command in it"],
    ["[nginx", "it begins like a JSON array and isn't one"],
    ['["sleep", 5]', "a JSON array may hold only strings"],
    ["nginx 'it", "the quote ' isn't closed"],
    ['nginx "it', "the quote \" isn't closed"],
    ["nginx \\", "it ends in a backslash"],
    ['["a\\u0000b"]', "it holds a NUL character"],
    ["nginx -t && nginx -s reload", "& at character 10 would need a shell, and none is used"],
    ["kill -HUP $(cat pid)", "$ at character 11 would need a shell, and none is used"],
    ["cat a > b", "> at character 7 would need a shell, and none is used"],
    ["rm *.pem", "* at character 4 would need a shell, and none is used"],
  ])("is not read from %j", (text, message) => {
    expect(parseArgumentList(text)).toMatchObject({ kind: "issue", message });
  });
});
