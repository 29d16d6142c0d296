import { consoleUrl } from '../session/base-url.ts';
import { signInTexts } from '../texts/sign-in.ts';
import { authorizationUrl, newAttempt, type OauthTokens, redeem, type SignInSettings } from './oauth.ts';

/**
 * The two windows share no reference, because the page isolates itself (COOP). What one sends the other is of no use to
 * a third: a code needs the verifier, which does not leave this page.
 */
const channelName = 'sign-in';
const prefix = 'beside.';

/** Signs the person in in another window, while this page stays as it is. The last call counts. */
export async function signInBeside(settings: SignInSettings): Promise<OauthTokens> {
  const attempt = newAttempt(prefix);
  const url = await authorizationUrl(settings, attempt);
  const answer = answerTo(attempt.state);
  if (!window.open(url, '_blank', 'popup,width=520,height=720')) throw new Error(signInTexts.popUpBlocked);
  return redeem(settings, await answer, attempt);
}

function answerTo(state: string): Promise<URLSearchParams> {
  // D87
  const channel = new BroadcastChannel(channelName);
  return new Promise((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<string>) => {
      const sent = new URLSearchParams(data);
      if (sent.get('state') !== state) return;
      channel.close();
      resolve(sent);
    };
  });
}

/** Sends what the issuer answered to the page that opened this window. @returns whether this is such a window. */
export function reportBack(): boolean {
  const { search } = location;
  if (!new URLSearchParams(search).get('state')?.startsWith(prefix)) return false;
  history.replaceState(null, '', consoleUrl);
  new BroadcastChannel(channelName).postMessage(search);
  window.close();
  return true;
}
