import { randomBytes } from 'node:crypto';
import { invalidAt } from '../../../core/errors/errors.ts';
import type { NewId } from '../../../core/ids.ts';
import { soleSecretReference } from '../../../core/secret-references.ts';
import type { Inbound, Outbound } from './surface-bodies.ts';

/** A plaintext by its id, or a reference as it was written. */
export type HeldSecret = string | { configured: true; id: string };

type Signature = NonNullable<Inbound['signature']>;
type Webhook = NonNullable<Outbound['webhook']>;

/** The members as a surface stores them: without plaintexts. */
export type StoredInbound = Record<string, unknown> & {
  signature?: (Omit<Signature, 'secrets'> & { secrets: HeldSecret[] }) | undefined;
};
export type StoredOutbound = Record<string, unknown> & {
  webhook?: (Omit<Webhook, 'secret'> & { secret: HeldSecret }) | undefined;
};
export interface WithSecrets {
  inbound: StoredInbound;
  outbound: StoredOutbound;
}

/** The members of a request, whose plaintexts are by their ids. */
export interface SealedMembers {
  inbound: Inbound | undefined;
  outbound: Outbound | undefined;
  /** The plaintexts that were sent, and one for an outgoing webhook that needs one. */
  plaintexts: ReadonlyMap<string, string>;
  generatedId: string;
}

const listSecrets = ({ inbound, outbound }: WithSecrets): HeldSecret[] =>
  [...(inbound.signature?.secrets ?? []), outbound.webhook?.secret].filter((each) => each !== undefined);

export const listPlaintextIds = (surface: WithSecrets): string[] =>
  listSecrets(surface).flatMap((secret) => (typeof secret === 'string' ? [] : [secret.id]));

export const listSurfaceSecretKeys = (surface: WithSecrets): string[] => [
  ...new Set(
    listSecrets(surface).flatMap((secret) =>
      typeof secret === 'string' ? (soleSecretReference(secret) ?? []) : [],
    ),
  ),
];

/** Takes the plaintexts out of a request. Call once: a change may be decided several times. */
export function extractSecrets(
  { inbound, outbound }: { inbound?: Inbound | undefined; outbound?: Outbound | undefined },
  newId: NewId,
): SealedMembers {
  const plaintexts = new Map<string, string>();
  const keep = (text: string) => {
    const id = newId('surfsecret');
    plaintexts.set(id, text);
    return { configured: true as const, id };
  };
  const seal = <S>(secret: S) =>
    typeof secret === 'string' && soleSecretReference(secret) === undefined ? keep(secret) : secret;
  const { signature } = inbound ?? {};
  const { webhook } = outbound ?? {};
  return {
    inbound: signature
      ? { ...inbound, signature: { ...signature, secrets: signature.secrets.map(seal) } }
      : inbound,
    outbound: webhook ? { ...outbound, webhook: { ...webhook, secret: seal(webhook.secret) } } : outbound,
    generatedId: keep(`whsec_${randomBytes(32).toString('base64')}`).id,
    plaintexts,
  };
}

/** @throws 400 for a stored secret that the surface does not have. */
export function mergeInbound(before: StoredInbound, { inbound, plaintexts }: SealedMembers): StoredInbound {
  if (!inbound) return before;
  const { signature, ...rest } = inbound;
  if (!signature) return rest;
  const stored = listPlaintextIds({ inbound: before, outbound: {} });
  const isOtherScheme = before.signature !== undefined && before.signature.scheme !== signature.scheme;
  const secrets = signature.secrets.map((secret, index): HeldSecret => {
    if (typeof secret === 'string') return secret;
    const { configured, id = stored.length === 1 ? stored[0] : undefined } = secret;
    if (id !== undefined && plaintexts.has(id)) return { configured, id };
    // Each scheme has its own form of secrets, and its own sender.
    if (isOtherScheme) throw createSchemeError(`inbound.signature.secrets.${index}`);
    if (id !== undefined && stored.includes(id)) return { configured, id };
    throw createNotStoredError(`inbound.signature.secrets.${index}`);
  });
  return { ...rest, signature: { ...signature, secrets } };
}

/**
 * A URL of another origin gets a new secret unless one is sent: what the old one signs must not reach another server,
 * which could present it to the old one.
 * @throws 400 for a stored secret that the surface does not have.
 */
export function mergeOutbound(before: StoredOutbound, sent: SealedMembers): StoredOutbound {
  if (!sent.outbound) return before;
  const { webhook, ...rest } = sent.outbound;
  if (!webhook) return rest;
  const { secret } = webhook;
  if (typeof secret === 'string') return { ...rest, webhook: { ...webhook, secret } };
  const old = before.webhook;
  const isSameOrigin = old !== undefined && toOrigin(old.url) === toOrigin(webhook.url);
  const stored = isSameOrigin && typeof old.secret === 'object' ? old.secret.id : undefined;
  const isSent = secret?.id !== undefined && sent.plaintexts.has(secret.id);
  if (secret?.id !== undefined && !isSent && isSameOrigin && secret.id !== stored) {
    throw createNotStoredError('outbound.webhook.secret');
  }
  const id = isSent ? (secret?.id as string) : (stored ?? sent.generatedId);
  return { ...rest, webhook: { ...webhook, secret: { configured: true, id } } };
}

const toOrigin = (url: string) => new URL(url).origin;

const createSchemeError = (path: string) =>
  invalidAt(path, 'INVALID_VALUE', 'The stored secret is one of another scheme. Send the secret of this one');

const createNotStoredError = (path: string) =>
  invalidAt(
    path,
    'NOT_FOUND',
    'The surface stores no such secret. Send its value, or the id that a read of the surface shows',
  );
