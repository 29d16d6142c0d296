import type { StarterTemplate } from '../../templates/template.ts';
import { templates } from '../../templates/templates.ts';
import { useDefaultModel, useMissing } from '../../templates/use-needs.ts';
import { templateTexts } from '../../texts/templates.ts';
import { Link } from '../../ui/link.tsx';
import { TemplateCard } from './template-card.tsx';
import '../../style/templates.css';
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
import { notify } from '../../ui/notices.tsx';

/** The templates, of which one click creates everything. */
export function Gallery({
  opens,
  level = 2,
}: {
  opens?: StarterTemplate['opens'] | undefined;
  level?: 2 | 3;
}) {
  const model = useDefaultModel();
  const lacks = useMissing(model);
  const { progress, failure, create } = useCreate();
  return (
    <>
      {model === 'stand-in' && (
        <p className="note">
          {templateTexts.standInAnswers((text) => (
            <Link to="/settings/provider-keys">{text}</Link>
          ))}
        </p>
      )}
      <div className="templates">
        {templates
          .filter((template) => !opens || template.opens === opens)
          .map((template) => (
            <TemplateCard
              key={template.id}
              template={template}
              level={level}
              missing={template.needs.filter((need) => lacks.includes(need))}
              progress={progress?.id === template.id ? progress : undefined}
              error={failure?.id === template.id ? failure.error : undefined}
              isIdle={progress !== undefined}
              onCreate={() => create(template)}
            />
          ))}
      </div>
    </>
  );
}

const changes = ['flows', 'agents', 'records', 'products', 'runs'];

/** Creates what a template has, and opens it. */
function useCreate() {
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
