import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { AwsCredentialIdentity } from '@smithy/types';

/** What a request is signed for. */
export interface SigningScope {
  region: string;
  service: string;
}

/** Of the headers that a request has here, those that the SDK does not sign. */
const unsigned: ReadonlySet<string> = new Set(['user-agent', 'authorization']);

/**
 * Adds the headers of Signature Version 4 to those of a POST to `/` without a query. The key of a day is kept.
 * See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
export function createSigner({ region, service }: SigningScope) {
  let key: { of: AwsCredentialIdentity; day: string; secret: KeyObject } | undefined;
  return (
    headers: Record<string, string>,
    body: string,
    credentials: AwsCredentialIdentity,
    time: Date,
  ): void => {
    const date = time.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = date.slice(0, 8);
    if (key?.of !== credentials || key.day !== day)
      key = { of: credentials, day, secret: deriveKey(credentials, day, region, service) };
    headers['x-amz-date'] = date;
    if (credentials.sessionToken) headers['x-amz-security-token'] = credentials.sessionToken;
    const payloadHash = hash('sha256', body);
    headers['x-amz-content-sha256'] = payloadHash;
    const names = Object.keys(headers)
      .filter((name) => !unsigned.has(name))
      .sort();
    const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
    const signedNames = names.join(';');
    const canonical = `POST\n/\n\n${lines}\n${signedNames}\n${payloadHash}`;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash('sha256', canonical)}`;
    const signature = createHmac('sha256', key.secret).update(toSign).digest('hex');
    headers.authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`;
  };
}

function deriveKey({ secretAccessKey }: AwsCredentialIdentity, ...parts: string[]): KeyObject {
  const key = [...parts, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  return createSecretKey(key as Buffer);
}
