import { requireEnv } from '../../core/environment.ts';
import { notFound } from '../../core/errors/errors.ts';
import { isMissingObject, requestS3, signObjectUrl } from '../../platform/aws/s3.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** S3's limit of a key in bytes. It answers 400 to a longer one. */
const keyBytesMax = 1_024;

/** The public files of a tenant, by their place in its folder: `<asset id>/<file name>`. */
export const publicFiles = /* @__PURE__ */ using(['assets:public'], ({ table: { tenant } }: Scope) => ({
  /** A signed URL of a file. @throws 404 */
  async urlOf(assetId: string, filename: string, seconds: number): Promise<string> {
    const bucket = requireEnv('ASSET_BUCKET');
    const key = `public/${tenant}/${assetId}/${filename}`;
    if (Buffer.byteLength(key) > keyBytesMax) throw notFound('File');
    try {
      await requestS3(bucket, 'HEAD', key);
    } catch (error) {
      // Without the right to list a bucket, S3 answers 403 for a missing object.
      if (isMissingObject(error)) throw notFound('File');
      throw error;
    }
    return signObjectUrl(bucket, key, seconds);
  },
}));
