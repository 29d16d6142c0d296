import { AwsClient } from 'aws4fetch';
import { credentials, region } from '../../../infra/local/runtime/account.ts';

const client = new AwsClient({ ...credentials, region, service: 's3' });

/** A signed request to the S3 server of an embedded stack. */
export const s3Fetch = (url: string, init: RequestInit = {}): Promise<Response> => client.fetch(url, init);
