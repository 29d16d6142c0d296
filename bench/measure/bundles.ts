import { entries } from '../../infra/aws/conventions/entries.ts';
import { buildBundles, bundleFolder } from '../../infra/aws/lambdas/bundles.ts';

/** @returns the folder of a Lambda's bundle as it is deployed, by the Lambda's id. */
export async function makeBundles(directory: string): Promise<(id: string) => string> {
  const bundles = await buildBundles(entries, directory);
  return (id) => bundleFolder(bundles, id);
}

/** @returns the folder of the bundle of a Lambda with nothing but the document client. */
export async function makeBareBundle(directory: string): Promise<string> {
  const bare = { id: 'bare', file: 'bench/http/document-client-handler.ts' };
  return bundleFolder(await buildBundles([bare], directory), bare.id);
}
