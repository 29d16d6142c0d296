import { useState } from 'react';
import { useAction } from '../../../api/queries.ts';
import { productTexts } from '../../../texts/products.ts';
import type { SurfaceItemRow } from '../parts/item-dialogs.tsx';
import type { SurfaceIds } from '../parts/place.ts';

/** A new credential for the snippets. Lives in this screen only: nothing stores it. */
export function useInsertedKey(place: SurfaceIds, type: string, items: readonly SurfaceItemRow[]) {
  const [key, setKey] = useState<string>();
  const createKey = useAction('surface-keys.create', {
    onSuccess: (created) => setKey(created.key),
  });
  const createToken = useAction('client-tokens.create', { onSuccess: ({ token }) => setKey(token) });
  const isChat = type === 'chat';
  const { error, isPending } = isChat ? createToken : createKey;
  return {
    key,
    error,
    isPending,
    create() {
      if (!isChat) {
        createKey.mutate({
          params: place,
          body: { name: productTexts.madeForSnippets, environment: 'test' },
        });
        return;
      }
      const flowIds = items.flatMap(({ flowId }) => flowId ?? []);
      const agentIds = items.flatMap(({ agentId }) => agentId ?? []);
      const allowedOrigins = ['localhost'];
      const productSurfaceId = place.surfaceId;
      createToken.mutate({
        body: { name: productTexts.madeForSnippets, allowedOrigins, productSurfaceId, flowIds, agentIds },
      });
    },
  };
}

export type InsertedKey = ReturnType<typeof useInsertedKey>;
