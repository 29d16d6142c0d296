import { AwsClient } from 'aws4fetch';

interface Request {
  method: string;
  url: string;
  headers: Record<string, string | undefined>;
}
interface Reply {
  code: (status: number) => Reply;
  type: (contentType: string) => Reply;
  send: (body: string) => unknown;
}

/** `20261126T083000Z` */
const timeOf = (text: string) =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** Why S3 refuses a request that is signed by its address, if it does. */
async function refusalOf(
  { method, url, headers }: Request,
  credentials: ConstructorParameters<typeof AwsClient>[0],
): Promise<string | undefined> {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const [datetime, seconds, signature] = ['Date', 'Expires', 'Signature'].map(
    (name) => searchParams.get(`X-Amz-${name}`) ?? '',
  ) as [string, string, string];
  if (signature === '') return 'Access Denied';
  const signed = await new AwsClient(credentials).sign(
    `http://${headers.host}${pathname}?X-Amz-Expires=${seconds}`,
    { method, aws: { signQuery: true, datetime } },
  );
  if (new URL(signed.url).searchParams.get('X-Amz-Signature') !== signature)
    return 'The request signature we calculated does not match the signature you provided';
  return Date.now() > timeOf(datetime) + Number(seconds) * 1_000 ? 'Request has expired' : undefined;
}

/** The hook of fauxqs for each request: it accepts every signature by itself, and none at all. */
export const signedOnly =
  (credentials: ConstructorParameters<typeof AwsClient>[0]) =>
  async (request: Request, reply: Reply): Promise<unknown> => {
    if (request.headers.authorization) return undefined;
    const refusal = await refusalOf(request, credentials);
    if (refusal === undefined) return undefined;
    const body = `<Error><Code>AccessDenied</Code><Message>${refusal}</Message></Error>`;
    return reply.code(403).type('application/xml').send(body);
  };
