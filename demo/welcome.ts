import { LIVE_ORGANIZATION } from './provision.ts';
import type { RunningDemo } from './start.ts';

/** The text that the demo prints when everything runs. */
export const welcome = (demo: RunningDemo): string => `
Tankwatch is up at ${demo.base_url}. The API reference is at ${demo.base_url}/docs

The console is at ${demo.console_url}
To sign in as the dispatcher of Lake Champlain Propane, open this link. It works once, in the next 15 minutes:

  ${demo.sign_in_url}

To sign in again, ask for a mail to ${demo.dispatcher_email} and read its code at ${demo.mailbox_url}, or use one
of the API keys. The customer of the story is office@churchstreet.example: that address shows the view of an owner.

API keys:

  Gas del Valle            ${demo.api_key}
  one of its customers     ${demo.customer_key}
  Green Mountain Propane   ${demo.other_api_key}
  Lake Champlain Propane   ${demo.live_api_key}   (its devices are reporting now)
  the same, with changes   ${demo.manage_key}   (/manage/v1)

Read, in another terminal:

  export TANKWATCH_URL=${demo.base_url} TANKWATCH_KEY=${demo.api_key}
  curl -H "X-API-Key: $TANKWATCH_KEY" "$TANKWATCH_URL/v1/tanks?size=3"
  curl -H "X-API-Key: $TANKWATCH_KEY" "$TANKWATCH_URL/v1/tanks/${demo.busy_tank_id}/telemetry?page=500"
  curl -H "X-API-Key: $TANKWATCH_KEY" "$TANKWATCH_URL/v1/customers?size=0&page=x"

Send a reading over HTTP, or over MQTT as a device, and read it back:

  curl -H 'X-API-Key: ${demo.ingest_key}' -d '{"readings": [{"device_id": "${demo.device_id}", "fill_percentage": 45.5}]}' \\
    '${demo.ingest_url}'
  mosquitto_pub -h 127.0.0.1 -p ${new URL(demo.mqtt_url).port} -q 1 -u '${LIVE_ORGANIZATION}/${demo.device_id}' -P '${demo.device_password}' \\
    -t 'readings/${LIVE_ORGANIZATION}/${demo.device_id}' -m '{"fill_percentage": 44.5}'
  curl -H 'X-API-Key: ${demo.live_api_key}' '${demo.base_url}/v1/tanks/${demo.device_tank_id}/telemetry'

Work as the operator:

  export OPERATOR_DATABASE_URL=${demo.database_url}
  export NATS_URL=${demo.nats_url} NATS_MONITOR_URL=${demo.nats_monitor_url}
  export GATEWAY_URL=${new URL(demo.ingest_url).origin} SMTP_URL=${demo.smtp_url}
  bin/tankwatch alerts list --organization ${LIVE_ORGANIZATION}
  bin/tankwatch tanks forecast --organization a0valle --within 14
  bin/tankwatch telemetry export --organization ${LIVE_ORGANIZATION} > readings.csv
  bin/tankwatch alerts try readings.csv --threshold 25
  bin/tankwatch doctor

The mails that arrive are at ${demo.mailbox_url}, the webhooks at ${demo.webhooks_url}
The phones of the people on duty are at ${demo.phone_url}: the leak of the story sends a text there. Take it on in the console, and the next
person gets none.

Ctrl-C stops the demo and removes its data. Now watch Lake Champlain Propane: a dispatcher plans
a round, whose driver's page you can open, a tank runs low, a truck fills it, the delivery note is compared with the gauge, another
tank leaks, and a gauge fails. Sensors of other makers report, too: a Watchman on heating oil, a dial reader over The Things Stack,
and a Milesight EM400 whose battery is low. To see how their messages are read:

  bin/tankwatch gauges assignments --organization ${LIVE_ORGANIZATION}
`;
