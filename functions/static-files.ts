import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOnce } from '../shared/core/concurrency/load-once.ts';
import { requireEnv } from '../shared/core/environment.ts';
import { combineRequirements } from '../shared/platform/aws/uses.ts';
import { awsLambda } from '../shared/platform/http/lambda/awslambda.ts';
import {
  type FileManifest,
  issuerOriginsPlaceholder,
  type StaticRequest,
  serveStaticFile,
} from '../shared/platform/http/static-files.ts';

export const requirements = combineRequirements('static-files', 'default-limits');

const stored = (name: string) => readFile(join(requireEnv('STATIC_FILES'), name));
const manifest = loadOnce(
  async (): Promise<FileManifest> => JSON.parse(String(await stored('manifest.json'))),
);

/**
 * Serves the files of every site. Streams, because API Gateway passes only streamed bytes through unchanged. It decodes
 * buffered bodies as text unless `binaryMediaTypes` covers the request.
 */
export const handler = awsLambda().streamifyResponse(async (event, stream) => {
  const request = event as StaticRequest;
  const { statusCode, headers, body } = await serveStaticFile(await manifest(), stored, request);
  const response = awsLambda().HttpResponseStream.from(stream, { statusCode, headers: completed(headers) });
  // Lambda sends the headers with the first write, even an empty one.
  response.write(request.requestContext.httpMethod === 'HEAD' ? '' : body);
  response.end();
});

/** The page of the console may call the issuer, and send files to S3: the build of the files does not know where these are. */
function completed(headers: Record<string, string>): Record<string, string> {
  const policy = headers['content-security-policy'];
  if (!policy?.includes(issuerOriginsPlaceholder)) return headers;
  const origins = `${requireEnv('SIGN_IN_ORIGINS')} ${requireEnv('UPLOADS_URL')}`;
  return { ...headers, 'content-security-policy': policy.replace(issuerOriginsPlaceholder, origins) };
}
