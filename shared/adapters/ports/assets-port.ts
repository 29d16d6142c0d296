type Visibility = 'public' | 'private';

export interface AssetsPort {
  /** Stores a file. A private one gets a signed URL that expires. @throws StepError. */
  store: (file: {
    bytes: Uint8Array;
    filename: string;
    contentType: string;
    visibility: Visibility;
  }) => Promise<{ assetId: string; url: string; expiresAt: string | null }>;
  /** Reads a file of the tenant by the URL that `store` returned, expired or not; undefined for other URLs. */
  read: (url: string) => Promise<{ bytes: Uint8Array; contentType: string } | undefined>;
}
