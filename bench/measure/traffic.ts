/** What the process has sent to S3 and written to its log, since it began. */
const counts = { s3Puts: 0, s3Gets: 0, logBytes: 0 };

export const traffic = () => ({ ...counts });

const write = process.stderr.write.bind(process.stderr) as typeof process.stderr.write;
process.stderr.write = ((chunk: string | Uint8Array, ...rest: []) => {
  counts.logBytes += Buffer.byteLength(chunk);
  return write(chunk, ...rest);
}) as typeof process.stderr.write;

const send = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const { url, method } = input instanceof Request ? input : { url: String(input), method: init?.method };
  const s3 = process.env.AWS_ENDPOINT_URL_S3;
  if (s3 && url.startsWith(s3)) counts[method === 'PUT' ? 's3Puts' : 's3Gets']++;
  return send(input, init);
};
