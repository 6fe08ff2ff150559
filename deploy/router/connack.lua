-- Answers of the router itself to MQTT's CONNECT: a CONNACK with a return code of MQTT 3.1.1, and then the end.
local function connack(return_code)
  return function(applet)
    applet:send(string.char(0x20, 0x02, 0x00, return_code))
  end
end

core.register_service("connack_unavailable", "tcp", connack(3))
core.register_service("connack_not_authorized", "tcp", connack(5))
