import { timingSafeEqual } from 'node:crypto';
import { type SchemeName, type SignedRequest, schemes } from './webhook-schemes.ts';

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
