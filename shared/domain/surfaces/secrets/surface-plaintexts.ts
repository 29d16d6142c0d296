import { rememberSecretValue } from '../../../core/redaction/known-values.ts';
import type { SecretReader } from '../../secrets/secret-vault.ts';
import type { Surface } from '../surface/surface.ts';

type Plaintexts = Readonly<Record<string, string>>;

/** The plaintexts of a surface by their ids. Empty if the surface is being deleted. */
export async function readPlaintexts(
  { read }: SecretReader,
  { id, valueId }: Pick<Surface, 'id' | 'valueId'>,
): Promise<Plaintexts> {
  const text = valueId === null ? undefined : await read(id, valueId);
  const plaintexts: Plaintexts = JSON.parse(text ?? '{}');
  for (const plaintext of Object.values(plaintexts)) rememberSecretValue(plaintext);
  return plaintexts;
}
