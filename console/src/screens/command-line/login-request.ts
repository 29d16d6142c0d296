/** A command line that asks for a key, as its address says. */
export interface LoginRequest {
  host: string;
  challenge: string;
  /** Where the command line waits for the answer; absent if the person types the code. */
  callback?: { port: string; state: string };
}

const forms = {
  host: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  challenge: /^[\w-]{43}$/,
  state: /^[\w-]{16,128}$/,
};

/** Anybody can write an address: whatever is not in the form of the command line is refused. */
export function parseLoginRequest(
  given: Readonly<Record<string, string | undefined>>,
): LoginRequest | undefined {
  const { host = '', challenge = '', port, state = '' } = given;
  if (!forms.host.test(host) || !forms.challenge.test(challenge)) return undefined;
  if (port === undefined) return { host, challenge };
  return isPort(port) && forms.state.test(state) ? { host, challenge, callback: { port, state } } : undefined;
}

const isPort = (text: string) => /^[1-9]\d{3,4}$/.test(text) && Number(text) <= 65_535;

/** On this computer, whatever the address of the page says. */
export function callbackUrl(
  { port, state }: { port: string; state: string },
  answer: Readonly<Record<string, string>>,
): string {
  return `http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...answer, state })}`;
}
