/** What a person reads and sends: the request of the console comes back with the form. */
export interface SignInForm {
  /** The parameters of the authorization request. */
  request: URLSearchParams;
  /** The proposed user. */
  userId: string;
  problem?: string;
}

/** The page on which a developer chooses who to be. It runs no script and loads nothing. */
export const signInPage = ({ request, userId, problem }: SignInForm) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in to the embedded stack</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Sign in to the embedded stack</h1>
<p>This page exists on this machine only. Choose who to be; there is no password.</p>
${problem ? `<p class="problem" role="alert">${escaped(problem)}</p>` : ''}
<form method="post" action="authorize">
${[...request].map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`).join('\n')}
<label for="userId">User</label>
<input id="userId" name="userId" value="${escaped(userId)}" required maxlength="255" autocomplete="username" spellcheck="false">
<label for="organizationId">Organization <span>(optional; its members share everything)</span></label>
<input id="organizationId" name="organizationId" maxlength="255" autocomplete="organization" spellcheck="false">
<label for="permissions">Permissions <span>(separated by spaces)</span></label>
<input id="permissions" name="permissions" value="*" autocomplete="off" spellcheck="false" aria-describedby="permissions-help">
<p id="permissions-help" class="help">* is every permission. Others are, for instance, FLOWS:READ and RECORDS:*</p>
<button>Sign in</button>
</form>
</main>
</body>
</html>
`;

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (each) => entities[each] ?? each);

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f4f5f7, #14161a); color: light-dark(#1a1d23, #e8eaee); }
main { box-sizing: border-box; width: min(26rem, 100vw); padding: 2rem; border-radius: 12px; background: light-dark(#fff, #1d2026); box-shadow: 0 1px 12px #0002; }
h1 { font-size: 1.25rem; margin: 0; }
p { margin: .5rem 0 1rem; }
label { display: block; font-weight: 600; margin-top: 1rem; }
label span, .help { font-weight: 400; font-size: .875rem; color: light-dark(#5a6170, #a3aab8); }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .75rem; border: 1px solid light-dark(#8b92a1, #767d8c); border-radius: 8px; background: transparent; color: inherit; }
button { width: 100%; font: inherit; font-weight: 600; padding: .6rem; margin-top: .5rem; border: 0; border-radius: 8px; background: #4338ca; color: #fff; cursor: pointer; }
:focus-visible { outline: 3px solid light-dark(#4338ca, #a5b4fc); outline-offset: 2px; }
.problem { color: light-dark(#b42318, #fda29b); }
`;
