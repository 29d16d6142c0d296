import { Agent, fetch } from 'undici';
import { stack } from '../stack/stack.ts';
import { shop } from '../surfaces/chat.ts';

/** Calls as a browser does whose network has an address. */
export async function callFrom(address: string, path: string, body: object) {
  const dispatcher = new Agent({ localAddress: address });
  const response = await fetch(`${stack().url}/v1/client/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: shop },
    body: JSON.stringify(body),
    dispatcher,
  });
  const { status, headers } = response;
  const answer = { status, headers, body: await response.text() };
  await dispatcher.close();
  return answer;
}
