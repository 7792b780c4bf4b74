import type { DataFolder } from "./data-folder.ts";
import { localAccount } from "./first-keys.ts";
import type { FirstKeys } from "./first-keys.ts";
import { apiUrl, dashboardsUrl } from "./plans.ts";
import type { Settings } from "./settings.ts";

export const noSandboxWarning = `
!!! CHROMIUM RUNS WITHOUT ITS SANDBOX: this system offers none to this user. A hostile page could
!!! take over this account. Render only pages you trust, or start as an ordinary user.
`;

/** The text after a start, with addresses, examples and, on the first start only, the keys. */
export function welcome(
  settings: Settings,
  folder: DataFolder,
  keys: FirstKeys | undefined,
  demoUrl: string,
): string {
  const key = keys?.live ?? "$GATEWAY_KEY";
  const quote = keys ? "'" : '"';
  const password = settings.ownPassword
    ? settings.dashboardsPassword
    : "as set in DASHBOARDS_PASSWORD";
  const introduction = keys
    ? [
        `  Keys of the account "${localAccount}" (shown only now):`,
        `    live  ${keys.live}`,
        `    test  ${keys.test}`,
      ]
    : [
        `  Keys are shown only when they are created. To create another one:`,
        `    npm run -s gateway -- keys create --account ${localAccount} --mode live`,
      ];
  return [
    "",
    "The gateway is running.",
    "",
    `  API         ${apiUrl(settings)}  documentation: ${apiUrl(settings)}/docs`,
    `  Dashboards  ${dashboardsUrl(settings)}  user ${settings.dashboardsUser}, password ${password}`,
    `  Data, logs  ${folder.dir}`,
    "",
    ...introduction,
    "",
    keys ? "  Try it:" : "  Try it (with a key in GATEWAY_KEY):",
    `    curl -sS ${apiUrl(settings)}/browser/markdown -H ${quote}Authorization: Bearer ${key}${quote} -H 'Content-Type: application/json' -d '{"url":"${demoUrl}"}'`,
    `    GATEWAY_URL=${apiUrl(settings)} ${keys ? `GATEWAY_KEY='${keys.live}' ` : ""}npm run -s gateway -- call web.crawl --url ${demoUrl} --follow`,
    "",
    "Ctrl-C stops it.",
    "",
  ].join("\n");
}
