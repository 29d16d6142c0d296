import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** More signatures than any sender has secrets. Each costs a comparison. */
const signaturesMax = 10;

export const hasSignature = (header: SignedRequest['header']): boolean =>
  Object.values(schemes).some(({ headers }) => headers.some((name) => header(name) !== undefined));

interface Expected {
  scheme: SchemeName;
  /** Any of them may have signed it. */
  secrets: readonly string[];
  /** How far the time of the signature may be from now. */
  toleranceSeconds: number;
  now: Date;
}

export function isSignedBy(
  request: SignedRequest,
  { scheme, secrets, toleranceSeconds, now }: Expected,
): boolean {
  const claim = schemes[scheme].readClaim(request);
  if (!claim || !isRecent(claim.signedAt, now, toleranceSeconds)) return false;
  const sent = claim.signatures.slice(0, signaturesMax);
  return secrets.some((secret) => {
    const right = trySign(claim.sign, secret);
    return right !== undefined && sent.some((signature) => isEqual(signature, right));
  });
}

function isRecent(signedAt: string | undefined, now: Date, toleranceSeconds: number): boolean {
  if (signedAt === undefined) return true;
  if (!/^\d{1,12}$/.test(signedAt)) return false;
  return Math.abs(Math.floor(now.getTime() / 1_000) - Number(signedAt)) <= toleranceSeconds;
}

/** Undefined for a secret that is no key of the scheme, such as the value of a reference that is not Base64. */
function trySign(sign: (secret: string) => string, secret: string): string | undefined {
  try {
    return sign(secret);
  } catch {
    return undefined;
  }
}

/** In a time that does not depend on where they differ. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export interface SignedRequest {
  /** The value of a header, by its name in lower case. */
  header: (name: string) => string | undefined;
  /** The body, byte for byte. */
  body: string;
}

interface Claim {
  /** When the sender signed it, in Unix seconds; undefined if it does not say so. */
  signedAt: string | undefined;
  /** Any of them may be the right one: senders that rotate secrets send one for each. */
  signatures: string[];
  sign: (secret: string) => string;
}

interface Scheme {
  /** A request without any of these headers is not signed. */
  headers: readonly string[];
  /** Undefined if a part is missing. */
  readClaim: (request: SignedRequest) => Claim | undefined;
  /** The id of the delivery, which is the same each time that the sender repeats it. */
  readDeliveryId: (header: SignedRequest['header'], body: Record<string, unknown>) => string | undefined;
  /** Where that id is, for messages. */
  deliveryIdPlace: string;
}

const hexHmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const toText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Standard Webhooks began at Svix, whose customers send these names still, or both. */
const getPrefix = (header: SignedRequest['header']) =>
  header('webhook-signature') === undefined && header('svix-signature') !== undefined ? 'svix' : 'webhook';

const standard: Scheme = {
  headers: ['webhook-signature', 'svix-signature'],
  readClaim({ header, body }) {
    const prefix = getPrefix(header);
    const [id, signedAt] = [header(`${prefix}-id`), header(`${prefix}-timestamp`)];
    if (!id || !signedAt) return undefined;
    return {
      signedAt,
      signatures: header(`${prefix}-signature`)?.split(' ') ?? [],
      sign: (secret) => new Webhook(secret).sign(id, new Date(Number(signedAt) * 1_000), body),
    };
  },
  readDeliveryId: (header) => header(`${getPrefix(header)}-id`),
  deliveryIdPlace: 'the header webhook-id or svix-id',
};

const github: Scheme = {
  headers: ['x-hub-signature-256'],
  readClaim: ({ header, body }) => ({
    signedAt: undefined,
    signatures: [header('x-hub-signature-256') ?? ''],
    sign: (secret) => `sha256=${hexHmac(secret, body)}`,
  }),
  readDeliveryId: (header) => header('x-github-delivery'),
  deliveryIdPlace: 'the header X-GitHub-Delivery',
};

const stripe: Scheme = {
  headers: ['stripe-signature'],
  readClaim({ header, body }) {
    const parts = (header('stripe-signature') ?? '').split(',').map((part) => part.trim().split('='));
    const signedAt = parts.find(([name]) => name === 't')?.[1];
    if (!signedAt) return undefined;
    return {
      signedAt,
      signatures: parts.filter(([name]) => name === 'v1').map(([, value = '']) => value),
      sign: (secret) => hexHmac(secret, `${signedAt}.${body}`),
    };
  },
  readDeliveryId: (_header, { id }) => toText(id),
  deliveryIdPlace: 'the member id of the event',
};

const slack: Scheme = {
  headers: ['x-slack-signature'],
  readClaim({ header, body }) {
    const signedAt = header('x-slack-request-timestamp');
    if (!signedAt) return undefined;
    return {
      signedAt,
      signatures: [header('x-slack-signature') ?? ''],
      sign: (secret) => `v0=${hexHmac(secret, `v0:${signedAt}:${body}`)}`,
    };
  },
  // Some requests of Slack are no events. Their signature is another one each time.
  readDeliveryId: (header, { event_id }) => toText(event_id) ?? header('x-slack-signature'),
  deliveryIdPlace: 'the member event_id',
};

/** How senders sign. To add a scheme, add a line. */
export const schemes = { 'standard-webhooks': standard, github, stripe, slack };
export type SchemeName = keyof typeof schemes;
