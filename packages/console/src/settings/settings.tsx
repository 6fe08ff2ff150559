import type { Settings } from '@tankwatch/client';
import { useState } from 'react';
import { PRODUCT_NAMES, type Product } from '../../../../src/values/products.ts';
import type { Session } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { Select } from '../forms/select.tsx';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { LinkAccount } from '../sign_in/issuer_buttons.tsx';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { PRODUCT_TEXTS } from '../translations/products.ts';
import { SETTINGS_TEXTS } from '../translations/settings.ts';
import { SettingsHead } from './settings_head.tsx';
import { useSettings } from './use_settings.ts';
import { useTypeText } from './webhook_types.tsx';

/** The settings of the organization. Contacts and webhooks are changed on other pages. */
export function SettingsPage({ session: { rights } }: { session: Session }) {
  const { data, error, refetch } = useSettings();
  return (
    <div className="settings">
      <SettingsHead page="settings" />
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && (
        <>
          <OrganizationSettings organization={data.organization} />
          <DefaultProduct
            key={data.organization.default_product}
            product={data.organization.default_product}
            canChange={rights.includes('contacts')}
          />
          <UnusualUse isReported={data.organization.reports_unusual_use} canChange={rights.includes('contacts')} />
          <Thresholds settings={data} canChange={rights.includes('catalog')} />
          {!rights.includes('contacts') && <Contacts settings={data} />}
          {!rights.includes('webhooks') && <Webhooks settings={data} />}
          <LinkAccount />
        </>
      )}
    </div>
  );
}

function OrganizationSettings({ organization }: Pick<Settings, 'organization'>) {
  const { format } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  const { code, name, language, time_zone: zone, phone, reply_to: replyTo } = organization;
  return (
    <section aria-labelledby="organization">
      <h2 id="organization">
        {texts.organization}: {name}
      </h2>
      <Facts
        className="setting-facts"
        facts={[
          [texts.code, code],
          [texts.language, format.languageName(language)],
          [texts.zone, `${format.zoneName(zone)} (${zone})`],
          [texts.phone, phone ?? texts.none],
          [texts.replyTo, replyTo ?? texts.none],
        ]}
      />
      <p className="meta">{texts.readOnly}</p>
    </section>
  );
}

/** The product of tanks without a stored product. It changes safety texts, so a person has to save it. */
function DefaultProduct({ product, canChange }: { product: Product; canChange: boolean }) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(SETTINGS_TEXTS);
  const { names } = useTexts(PRODUCT_TEXTS);
  const [chosen, setChosen] = useState(product);
  // All queries are repeated, because the session also has the product, and texts name it.
  const change = useChange(useReadAgain([]));
  const save = (): void => {
    change.begin({
      method: 'PATCH',
      path: '/organization',
      body: { default_product: chosen },
      label: texts.defaultProduct,
    });
  };
  return (
    <section aria-labelledby="default-product">
      <h2 id="default-product">{texts.defaultProduct}</h2>
      <ChangeForm className="actions" onSubmit={save}>
        <Select
          aria-labelledby="default-product"
          value={chosen}
          disabled={!canChange || change.isBusy}
          options={PRODUCT_NAMES.map((name) => [name, names[name]])}
          onChange={setChosen}
        />
        {canChange && (
          <Button type="submit" disabled={chosen === product || change.isBusy}>
            {changeTexts.save}
          </Button>
        )}
      </ChangeForm>
      <p className="meta">{canChange ? texts.defaultProductHelp : texts.byAdministrator}</p>
      <ChangeNotice change={change} />
    </section>
  );
}

/** Whether unusual use is reported. The check box changes only after the service has stored the change. */
function UnusualUse({ isReported, canChange }: { isReported: boolean; canChange: boolean }) {
  const { words } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  const change = useChange(useReadAgain(['settings']));
  const title = words.events['tank.unusual_use'];
  return (
    <section aria-labelledby="unusual-use">
      <h2 id="unusual-use">{title}</h2>
      <label className="box">
        <input
          type="checkbox"
          checked={isReported}
          disabled={!canChange || change.isBusy}
          onChange={({ target }) =>
            change.begin({
              method: 'PATCH',
              path: '/organization',
              body: { reports_unusual_use: target.checked },
              label: title,
            })
          }
        />{' '}
        {texts.reportUnusualUse}
      </label>
      <p className="meta">{canChange ? texts.unusualUseHelp : texts.byAdministrator}</p>
      <ChangeNotice change={change} />
    </section>
  );
}

function Thresholds({ settings: { thresholds }, canChange }: ListProps & { canChange: boolean }) {
  const { format } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  return (
    <section aria-labelledby="thresholds">
      <h2 id="thresholds">{texts.thresholds}</h2>
      {thresholds.length > 0 && (
        <Table className="narrow-table" columns={[texts.threshold, numeric(texts.tanks)]}>
          {thresholds.map(({ min_fill_alert_percentage: percentage, tanks }) => (
            <tr key={percentage}>
              <th scope="row">{format.exactPercent(percentage)}</th>
              <td className="number">{format.count(tanks)}</td>
            </tr>
          ))}
        </Table>
      )}
      {canChange && <p className="meta">{texts.changeThreshold}</p>}
    </section>
  );
}

interface ListProps {
  settings: Settings;
}

function Contacts({ settings: { contacts } }: ListProps) {
  const { words, format } = usePreferences();
  const { roles: roleNames } = useTexts(ACCOUNT_TEXTS);
  const texts = useTexts(SETTINGS_TEXTS);
  return (
    <section aria-labelledby="contacts">
      <h2 id="contacts">{texts.contacts}</h2>
      <p className="meta">{texts.contactsHelp}</p>
      {contacts.length === 0 && <p className="notice">{texts.noContacts}</p>}
      <ul className="setting-list">
        {contacts.map(({ id, email, name, types, digest_at: digestAt, has_console: hasConsole, roles }) => (
          <li key={id}>
            <h3>{name === null ? email : `${name}, ${email}`}</h3>
            <Facts
              className="setting-facts"
              facts={[
                [texts.atOnce, types.length === 0 ? texts.nothing : types.map((type) => words.events[type]).join(', ')],
                [texts.digest, digestAt === null ? texts.nothing : texts.digestAt(format.clock(digestAt))],
                [texts.console, hasConsole ? roles.map((role) => roleNames[role]).join(', ') : texts.mayNotEnter],
              ]}
            />
          </li>
        ))}
      </ul>
      <p className="meta">{texts.byAdministrator}</p>
    </section>
  );
}

function Webhooks({ settings: { webhooks } }: ListProps) {
  const textOf = useTypeText();
  const texts = useTexts(SETTINGS_TEXTS);
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">{texts.webhooks}</h2>
      <p className="meta">{texts.webhooksHelp}</p>
      {webhooks.length === 0 && <p className="notice">{texts.noWebhooks}</p>}
      <ul className="setting-list">
        {webhooks.map((webhook) => (
          <li key={webhook.id}>
            <h3>{webhook.host}</h3>
            <Facts
              className="setting-facts"
              facts={[
                [texts.types, webhook.types.length === 0 ? texts.allTypes : webhook.types.map(textOf).join(', ')],
                [texts.state, <WebhookState key="state" webhook={webhook} />],
              ]}
            />
          </li>
        ))}
      </ul>
      <p className="meta">{texts.byAdministrator}</p>
    </section>
  );
}

function WebhookState({ webhook }: { webhook: Settings['webhooks'][number] }) {
  const { format } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  const { disabled_at: disabledAt, disabled_because: because, failing_since: failingSince } = webhook;
  if (disabledAt !== null && because !== null) {
    return <strong>{texts.disabled(format.fullTime(disabledAt), texts.because[because])}</strong>;
  }
  return failingSince === null ? texts.live : <strong>{texts.failing(format.fullTime(failingSince))}</strong>;
}
