import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { useOnceAtATime } from '../../api/once-at-a-time.ts';
import { refresh } from '../../api/queries.ts';
import {
  type CreatedByTemplate,
  createFromTemplate,
  type Progress,
} from '../../templates/create/create-from-template.ts';
import type { StarterTemplate } from '../../templates/template.ts';
import { templateTexts } from '../../texts/templates.ts';
import { notify } from '../../ui/notices.tsx';

const changes = ['flows', 'agents', 'records', 'products', 'runs'];

/** Creates what a template has, and opens it. */
export function useCreate() {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [progress, setProgress] = useState<Progress & { id: string }>();
  const [failure, setFailure] = useState<{ id: string; error: Error }>();
  const create = useOnceAtATime(async (id: string, template: StarterTemplate) => {
    setFailure(undefined);
    try {
      const made = await createFromTemplate(api, template, (now) => setProgress({ ...now, id }));
      await refresh(queries, changes);
      notify(templateTexts.created(template.name));
      await navigate(placeOf(template, made) as never);
    } catch (error) {
      await refresh(queries, changes);
      setFailure({ id, error: error as Error });
    } finally {
      setProgress(undefined);
    }
  });
  return { progress, failure, create: (template: StarterTemplate) => create(template.id, template) };
}

/** A flow is tried on the newest record of the newest type: the sample that was created last. */
function placeOf({ opens, agent }: StarterTemplate, { flowId, agentId, productId }: CreatedByTemplate) {
  if (opens === 'flow') return { to: `/flows/${flowId}/try` };
  if (opens === 'agent') return { to: `/agents/${agentId}/chat`, search: { ask: agent?.ask } };
  return { to: `/products/${productId}` };
}
