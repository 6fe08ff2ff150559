/** An uplink of The Things Stack with the distance that an LDDS75 has measured. */
export const ldds75Uplink = (eui: string, distanceMm: number, at = new Date().toISOString()): string =>
  JSON.stringify({
    end_device_ids: { dev_eui: eui, application_ids: { application_id: 'tanks' } },
    received_at: at,
    uplink_message: {
      f_port: 2,
      frm_payload: Buffer.from(`0d3b${distanceMm.toString(16).padStart(4, '0')}00000001`, 'hex').toString('base64'),
      received_at: at,
      rx_metadata: [{ rssi: -96, snr: 8.2 }],
      version_ids: { brand_id: 'dragino', model_id: 'ldds75' },
    },
  });
