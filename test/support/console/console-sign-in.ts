import * as oauth from 'oauth4webapi';
import type { Page } from 'playwright-core';
import { stack, type Tenant } from '../stack/stack.ts';

export interface SignIn {
  /** Where in the console one wants to go. */
  screen: string;
  /** Of the session. Default: all. */
  permissions?: readonly string[] | undefined;
}

/**
 * The address at which the issuer sends a user back to the console. The page must be of the stack's origin: it gets what
 * the console stores on the way to the issuer, and the issuer's cookie. `sign-in.slow.test.ts` goes the whole way by the forms.
 */
export async function signInAs(page: Page, tenant: Tenant, { screen, permissions }: SignIn): Promise<string> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const attempt = JSON.stringify({ verifier, state, fragment: `#${screen}` });
  await page.evaluate((stored) => sessionStorage.setItem('sign-in attempt', stored), attempt);
  const url = `${stack().url}/local/oidc/authorize`;
  const response = await page.context().request.post(url, {
    maxRedirects: 0,
    form: {
      userId: tenant.userId,
      organizationId: tenant.organizationId ?? '',
      ...(permissions && { permissions: permissions.join(' ') }),
      response_type: 'code',
      client_id: 'console',
      redirect_uri: `${stack().url}/console`,
      scope: 'openid',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    },
  });
  const { location } = response.headers();
  if (!location) throw new Error(`The issuer refuses to sign in ${tenant.userId}: ${await response.text()}`);
  return location;
}
