import { stack } from '../stack/stack.ts';
import { s3Fetch } from './s3.ts';

/** The names of a tenant's objects in the payload bucket. @param root The folder above that of the tenant. */
export async function payloadNames(tenant: string, root = ''): Promise<string[]> {
  const query = new URLSearchParams({ 'list-type': '2', prefix: `${root}${tenant}/` });
  const response = await s3Fetch(`${stack().aws.s3}/${process.env.PAYLOAD_BUCKET}?${query}`);
  if (!response.ok) throw new Error(`S3 answered ${response.status}`);
  return [...(await response.text()).matchAll(/<Key>(.*?)<\/Key>/g)].map(([, name]) => name ?? '');
}
