import { AwsClient } from 'aws4fetch';
import { payloadBucket } from '../runtime/account.ts';

type Credentials = ConstructorParameters<typeof AwsClient>[0];

interface Request {
  method: string;
  url: string;
  headers: Record<string, string | undefined>;
}
interface Reply {
  headers: (values: Record<string, string>) => Reply;
  code: (status: number) => Reply;
  type: (contentType: string) => Reply;
  send: (body: string) => unknown;
}

const unsignedHeaders = 'There were headers present in the request which were not signed';
const mismatch = 'The request signature we calculated does not match the signature you provided';

/** `20261126T083000Z` */
const timeOf = (text: string) =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** All parts of a query, since a changed one is another address. */
const partsOf = (url: string) => JSON.stringify([...new URL(url).searchParams].sort());

/** How far the clock of a signer may be ahead. */
const clockSkewMs = 15 * 60_000;

/** Why S3 refuses a request that is signed by its address, if it does. */
async function refusalOf(
  { method, url, headers }: Request,
  credentials: Credentials,
): Promise<string | undefined> {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const [datetime, seconds, signature] = ['Date', 'Expires', 'Signature'].map(
    (name) => searchParams.get(`X-Amz-${name}`) ?? '',
  ) as [string, string, string];
  if (signature === '') return 'Access Denied';
  // An address signs no headers, and one of them would copy any object.
  if (Object.keys(headers).some((name) => name.startsWith('x-amz-'))) return unsignedHeaders;
  const others = [...searchParams].filter(([name]) => !name.startsWith('X-Amz-'));
  const parameters = new URLSearchParams([['X-Amz-Expires', seconds], ...others]);
  const signed = await new AwsClient(credentials).sign(`http://${headers.host}${pathname}?${parameters}`, {
    method,
    aws: { signQuery: true, datetime },
  });
  if (partsOf(signed.url) !== partsOf(`http://s3${url}`)) return mismatch;
  // biome-ignore lint/complexity/useDateNow: the server of the queues makes Date.now steady
  const since = new Date().getTime() - timeOf(datetime);
  return since > -clockSkewMs && since <= Number(seconds) * 1_000 ? undefined : 'Request has expired';
}

const byHeader =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[^/]+\/(\w+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=\w{64}$/;

/** Whether a request is signed by its header. That of another service than S3 is its own affair. */
async function isSigned(request: Request, credentials: Credentials): Promise<boolean> {
  const { method, url, headers } = request;
  const [, service, signedHeaders = ''] = byHeader.exec(headers.authorization ?? '') ?? [];
  if (service !== 's3') return service !== undefined && new URL(url, 'http://s3').pathname === '/';
  const names = signedHeaders.split(';').filter((name) => name !== 'host');
  const signed = await new AwsClient(credentials).sign(`http://${headers.host}${url}`, {
    method,
    headers: Object.fromEntries(names.map((name) => [name, headers[name] ?? ''])),
    aws: { datetime: headers['x-amz-date'] ?? '', allHeaders: true },
  });
  return signed.headers.get('authorization') === headers.authorization;
}

/** fauxqs would take an object of these types for a request to SQS or SNS: curl sends any file as a form. */
const parsedTypes = /^application\/(x-www-form-urlencoded|x-amz-json)/i;

/** The rule of CORS that the payload bucket has on AWS: pages may send a file to a signed address. */
const isInPayloads = (url: string) => url.startsWith(`/${payloadBucket}/`);

function answerPreflight({ headers }: Request, reply: Reply): unknown {
  if (headers['access-control-request-method'] !== 'PUT') return reply.code(403).send('');
  return reply
    .code(200)
    .headers({
      'access-control-allow-methods': 'PUT',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '7200',
    })
    .send('');
}

/**
 * The hook of fauxqs for each request: it accepts every signature by itself, and none at all.
 * @param tools Those with which requests may be signed too. Their secret is known, so they sign no address.
 */
export const signedOnly =
  (credentials: Credentials, tools: Credentials) =>
  async (request: Request, reply: Reply): Promise<unknown> => {
    const isAsked = request.headers.origin !== undefined && isInPayloads(request.url);
    if (isAsked) reply.headers({ 'access-control-allow-origin': '*' });
    if (isAsked && request.method === 'OPTIONS') return answerPreflight(request, reply);
    const isByHeader = request.headers.authorization !== undefined;
    const refusal = isByHeader
      ? (await isSigned(request, credentials)) || (await isSigned(request, tools))
        ? undefined
        : mismatch
      : await refusalOf(request, credentials);
    if (refusal === undefined) {
      const { method, headers } = request;
      if (method === 'PUT' && parsedTypes.test(headers['content-type'] ?? ''))
        headers['content-type'] = 'application/octet-stream';
      return undefined;
    }
    const body = `<Error><Code>AccessDenied</Code><Message>${refusal}</Message></Error>`;
    return reply.code(403).type('application/xml').send(body);
  };
