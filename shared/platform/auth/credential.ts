import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Caller, TemporaryRefusal } from './credential-kind.ts';
import { kindOf } from './credential-kinds.ts';

const tokenBytesMax = 8_192;

/** What of a request tells its caller. API Gateway leaves out what was not sent. */
export type RequestHeaders = {
  [Name in 'headers' | 'multiValueHeaders']?: APIGatewayProxyEvent[Name] | null;
};
/** Whether a request carries any credential, good or bad. */
export const hasCredential = (request: RequestHeaders) => authorizationsOf(request).length > 0;

/** Whom the credential of a request speaks for; nobody where it never will be good. @throws RefusedForNow */
export async function callerOf(request: RequestHeaders): Promise<Caller | undefined> {
  const token = bearerToken(request);
  return kindOf(token)?.callerOf(token);
}

function bearerToken(request: RequestHeaders): string {
  const [header = '', ...others] = authorizationsOf(request);
  // The authorizer's answer is cached under one of them, which may be good by itself.
  if (others.length > 0) throw new TemporaryRefusal();
  const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  return token.length > tokenBytesMax ? '' : token;
}

function authorizationsOf({ headers, multiValueHeaders }: RequestHeaders): string[] {
  const sent = <Value>(of: Record<string, Value> | null | undefined) =>
    Object.entries(of ?? {}).flatMap(([name, value]) =>
      name.toLowerCase() === 'authorization' ? [value] : [],
    );
  const all = sent(multiValueHeaders).flatMap((values) => values ?? []);
  return all.length > 0 ? all : sent(headers).flatMap((value) => value ?? []);
}
