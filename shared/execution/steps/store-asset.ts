import type * as z from 'zod';
import { assetBytesMax, chooseContentType, safeFilename } from '../../adapters/assets/asset-store.ts';
import { decodeBase64 } from '../../adapters/assets/base64.ts';
import { statusError } from '../../adapters/net/fetch-failure.ts';
import type { AssetsPort } from '../../adapters/ports/assets-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import {
  type AssetOutput,
  type StoreAssetConfig,
  storeAssetStep,
} from '../../domain/flows/step-types/store-asset.ts';
import { defineActingRunner, type StepPerforming } from '../step-support/step-runner.ts';

export const storeAssetRunner = defineActingRunner(storeAssetStep, {
  async plan({ config, render, renderValue }) {
    const { url, content, filename, contentType, visibility = 'private' } = config;
    return {
      request: {
        url: url && (await render(url)).trim(),
        content: url === undefined ? await renderValue(content) : undefined,
        filename: filename === undefined ? undefined : await render(filename),
        contentType: contentType && (await render(contentType)),
        visibility,
      },
    };
  },

  async perform({ url, content, visibility, ...named }, step) {
    const { bytes, name, type } = url === undefined ? inlineFile(content) : await fetchFile(step, url);
    const filename = safeFilename(named.filename ?? name);
    const contentType = await chooseContentType(named.contentType, type, filename);
    return { output: await storeAsset(step.ports.assets, { bytes, filename, contentType, visibility }) };
  },
});

export async function storeAsset(
  assets: AssetsPort,
  file: Parameters<AssetsPort['store']>[0],
): Promise<z.input<typeof AssetOutput>> {
  const { assetId, url, expiresAt } = await assets.store(file);
  const { filename, contentType, bytes } = file;
  return { assetId, url, filename, contentType, size: bytes.length, expiresAt };
}

interface File {
  bytes: Uint8Array;
  name: string;
  type: string | undefined;
}

async function fetchFile(
  { ports, signal }: StepPerforming<StoreAssetConfig>,
  address: string,
): Promise<File> {
  const { status, url, headers, bytes } = await ports.fetch({
    url: address,
    method: 'GET',
    headers: {},
    timeoutMs: 60_000,
    bytesMax: assetBytesMax,
    signal,
  });
  if (status >= 400) throw statusError(url, { status, headers });
  const lastPart = new URL(url).pathname.split('/').at(-1) || 'file';
  return { bytes, name: decodePart(lastPart), type: headers['content-type'] };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function inlineFile(content: unknown): File {
  if (typeof content !== 'string') throw new StepError('content must be base64 text or a data: URL');
  return { ...decodeBase64(content), name: '' };
}
