import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import * as z from 'zod';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';

export interface CardKey {
  alg: string;
  kid: string;
  privateKey: KeyObject;
  /** With `kid`, `alg` and `use`, as a JWKS lists it. */
  publicJwk: Record<string, unknown> & { kty: string; kid: string };
}

const text = z.string().optional();
const PrivateJwk = z.looseObject({ kty: text, crv: text, alg: text, use: text, kid: text, d: text });
type PrivateJwk = z.infer<typeof PrivateJwk>;

const byCurve: Record<string, string> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};
const ofRsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const rsaBitsMin = 2_048;
const kidCharactersMax = 256;

/** Without a `kid` it has its thumbprint (RFC 7638). @returns the problem without any part of the text */
export async function parseCardKey(jwkText: string): Promise<{ key: CardKey } | { problem: string }> {
  const jwk = parseJwk(jwkText);
  if (!jwk) return { problem: 'The secret is no private JSON Web Key (JWK), such as {"kty":"EC",…}' };
  const problem = findJwkProblem(jwk);
  if (problem) return { problem };
  const pair = createKeyPair(jwk);
  if (!pair) return { problem: 'The members of the key do not make a valid key' };
  const { privateKey, publicKey } = pair;
  if (jwk.kty === 'RSA' && (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) < rsaBitsMin) {
    return { problem: `An RSA key needs at least ${rsaBitsMin} bits` };
  }
  const { kty = '', ...members } = publicKey.export({ format: 'jwk' });
  const shown = { kty, ...members };
  const alg = jwk.alg ?? getDefaultAlg(jwk) ?? '';
  const kid = jwk.kid || (await calculateJwkThumbprint(shown as Record<string, string>));
  return { key: { alg, kid, privateKey, publicJwk: { ...shown, kid, alg, use: 'sig' } } };
}

function parseJwk(jwkText: string): PrivateJwk | undefined {
  try {
    return PrivateJwk.safeParse(JSON.parse(jwkText)).data;
  } catch {
    return undefined;
  }
}

const getDefaultAlg = ({ kty, crv = '' }: PrivateJwk): string | undefined =>
  kty === 'RSA' ? ofRsa[0] : byCurve[crv];

function findJwkProblem(jwk: PrivateJwk): string | undefined {
  const { kty, crv = '', alg, use, kid = '', d } = jwk;
  const curves = kty === 'EC' ? ['P-256', 'P-384', 'P-521'] : kty === 'OKP' ? ['Ed25519'] : undefined;
  if (kty === 'oct') return 'A key of the type oct is symmetric: nobody could check its signatures';
  if (kty !== 'RSA' && !curves) return 'The member kty of the key must be EC, OKP or RSA';
  if (curves && !curves.includes(crv)) return `The member crv of the key must be ${curves.join(', ')}`;
  if (!d) return 'The key is a public key: its private member d is missing';
  const algs = kty === 'RSA' ? ofRsa : [byCurve[crv]];
  if (alg !== undefined && !algs.includes(alg)) {
    return `The member alg of this key must be ${algs.join(', ')}`;
  }
  if (use !== undefined && use !== 'sig') return 'The member use of the key must be sig';
  if (kid.length > kidCharactersMax) return `The member kid has more than ${kidCharactersMax} characters`;
  if (!wellFormed(kid)) return `The member kid of the key: ${wellFormedOnly}`;
  return undefined;
}

/** Undefined also for a private key that does not belong to its public members: nobody could check its signatures. */
function createKeyPair(jwk: PrivateJwk) {
  try {
    const privateKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const publicKey = createPublicKey(privateKey);
    const digest = jwk.kty === 'OKP' ? null : 'sha256';
    const probe = Buffer.from('probe');
    const isPair = verify(digest, probe, publicKey, sign(digest, probe, privateKey));
    return isPair ? { privateKey, publicKey } : undefined;
  } catch {
    return undefined;
  }
}
