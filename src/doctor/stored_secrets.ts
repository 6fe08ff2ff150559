import { type CheckContext, type CheckFinding, finding, note, warning } from './finding.ts';
import { readSealStatus } from './seal_status.ts';

/** Checks that SECRETS_KEY decrypts the stored secrets, and that a rotation is finished. It needs the key. */
export async function checkStoredSecrets({ pool, config }: CheckContext): Promise<CheckFinding[]> {
  const secretsKeys = config?.secretsKeys ?? [];
  if (secretsKeys.length === 0) return [];
  const status = await readSealStatus(pool, secretsKeys);
  const count = (state: 'previous' | 'unreadable'): number => status.reduce((sum, kind) => sum + kind[state], 0);
  const listKinds = (state: 'previous' | 'unreadable'): string =>
    status
      .filter((kind) => kind[state] > 0)
      .map((kind) => `${kind[state]} of ${kind.kind}`)
      .join(', ');
  return [
    ...(count('unreadable') > 0
      ? [
          finding(
            `stored secrets cannot be decrypted with the keys of this command: ${listKinds('unreadable')}`,
            'set SECRETS_KEY_PREVIOUS to the value they were stored with, then: tankwatch secrets reseal',
          ),
        ]
      : []),
    ...(count('previous') > 0
      ? [
          warning(
            `stored secrets are still encrypted with SECRETS_KEY_PREVIOUS: ${listKinds('previous')}`,
            'tankwatch secrets reseal',
          ),
        ]
      : []),
    ...(secretsKeys.length > 1 && count('previous') + count('unreadable') === 0
      ? [note('stored secrets no longer need SECRETS_KEY_PREVIOUS; remove it a day after the keys were replaced')]
      : []),
  ];
}
