import { escape, note, page } from "./frame.ts";

export function loginPage(next: string, problem?: string): string {
  return page(
    "Log in · Gateway",
    "",
    `<main class="narrow"><h1>Gateway dashboards</h1>${note(problem) || "<p></p>"}
<form class="card" method="post" action="/login">
<label>User<input name="user" autocomplete="username" required autofocus></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required></label>
<input type="hidden" name="next" value="${escape(next)}"><button>Log in</button></form></main>`,
  );
}
