import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Caller, credentialKind, TemporaryRefusal } from './credential-kind.ts';

const tokenBytesMax = 8_192;

/** The parts of a request that identify its caller. API Gateway omits headers that were not sent. */
export type RequestHeaders = {
  [Name in 'headers' | 'multiValueHeaders']?: APIGatewayProxyEvent[Name] | null;
};
/** Whether a request has an Authorization header, valid or not. */
export const hasCredential = (request: RequestHeaders) => readAuthorizations(request).length > 0;

/** The caller that the credential identifies, or `undefined` if it is permanently invalid. @throws TemporaryRefusal */
export async function identifyCaller(request: RequestHeaders): Promise<Caller | undefined> {
  const token = readBearerToken(request);
  return credentialKind(token)?.findCaller(token);
}

function readBearerToken(request: RequestHeaders): string {
  const [header = '', ...others] = readAuthorizations(request);
  // API Gateway caches the result under one of the headers, which may be valid on its own.
  if (others.length > 0) throw new TemporaryRefusal();
  const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  return token.length > tokenBytesMax ? '' : token;
}

/** The values of a request's Authorization headers. */
export function readAuthorizations({ headers, multiValueHeaders }: RequestHeaders): string[] {
  const pickAuthorizations = <Value>(of: Record<string, Value> | null | undefined) =>
    Object.entries(of ?? {}).flatMap(([name, value]) =>
      name.toLowerCase() === 'authorization' ? [value] : [],
    );
  const all = pickAuthorizations(multiValueHeaders).flatMap((values) => values ?? []);
  return all.length > 0 ? all : pickAuthorizations(headers).flatMap((value) => value ?? []);
}
