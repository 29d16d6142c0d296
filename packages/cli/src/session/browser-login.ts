import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ApiError, type Client, createClient } from '../../../client/src/client.ts';
import { CliError } from '../cli-error.ts';
import { openInBrowser } from '../terminal/browser.ts';
import { readHidden } from '../terminal/input.ts';
import { printNotice } from '../terminal/output.ts';
import { consoleAddress } from './console-address.ts';
import { openLoopback } from './loopback.ts';

const patienceMs = 10 * 60_000;

/** A login that waits for a person: where to allow it, and what proves afterwards that it is the same program (RFC 7636). */
interface Attempt {
  client: Client;
  codeVerifier: string;
  /** @param rest What the page needs besides */
  address: (...rest: (string | number)[]) => string;
}

interface Login {
  apiKey: string;
  /** Whose key it is: of whoever allowed the login. */
  account: string;
}

/** @throws CliError if nobody can sign in there */
export async function beginLogin(url: string): Promise<Attempt> {
  const client = createClient({ baseUrl: url });
  try {
    await client.public.signIn();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new CliError(
      `${url} has no sign-in for browsers. Check the address, or use an API key: agent-flow login --key`,
    );
  }
  const codeVerifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const address = (...rest: (string | number)[]) =>
    consoleAddress(url, ['', 'command-line', hostLabel(hostname()), challenge, ...rest].join('/'));
  return { client, codeVerifier, address };
}

/** The computer, as a person recognises it, and as an address may contain it. */
export const hostLabel = (name: string) =>
  name
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100) || 'computer';

/** The browser of this computer brings the code. @param store Gets the key, before the browser says that all is done */
export async function loginInBrowser(
  attempt: Attempt,
  store: (login: Login) => Promise<void>,
): Promise<void> {
  const loopback = await openLoopback();
  try {
    const address = attempt.address(loopback.port, loopback.state);
    printNotice(`Allow the login in the browser:\n\n  ${address}\n`);
    const noBrowser =
      'No browser opened. Open the address in a browser of this computer, or stop and run: agent-flow login --no-browser';
    // Everybody on this computer sees what a program is started with.
    openInBrowser(loopback.leadTo(address), () => printNotice(noBrowser));
    const { code, show } = await loopback.answer(AbortSignal.timeout(patienceMs));
    if (code === undefined) {
      await show('denied');
      throw new CliError('The login was denied in the browser');
    }
    try {
      await store(await redeem(attempt, code));
    } catch (error) {
      await show('failed');
      throw error;
    }
    await show('done');
  } finally {
    loopback.close();
  }
}

/** A browser anywhere shows the code, and the person brings it. */
export async function loginByHand(attempt: Attempt): Promise<Login> {
  printNotice(`Allow the login in a browser of any computer:\n\n  ${attempt.address()}\n`);
  const code = (await readHidden('Paste the code that it shows: ')).trim();
  if (code === '') throw new CliError('No code was entered. Run: agent-flow login --no-browser');
  return redeem(attempt, code);
}

/** @throws CliError for a code that gives no key */
async function redeem({ client, codeVerifier }: Attempt, code: string): Promise<Login> {
  try {
    const { plainKey, userId, organizationId } = await client.public.redeemLogin({
      body: { code, codeVerifier },
    });
    const account = userId && (organizationId ? `${userId} of ${organizationId}` : userId);
    return { apiKey: plainKey, account: account || 'an account that the service does not name' };
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 404].includes(error.status)) throw error;
    throw new CliError('The code is wrong, used or expired. Run: agent-flow login');
  }
}
