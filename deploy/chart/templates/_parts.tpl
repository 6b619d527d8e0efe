{{/* What the pods have in common. Names are fixed: policies, proxy and settings name them, so one release a namespace. */}}

{{- define "labels" -}}
{app.kubernetes.io/name: {{ . }}, app.kubernetes.io/part-of: reminder-worker}
{{- end }}

{{/* An image, given as (list $ name tag): the tag is the part's own, or everybody's. */}}
{{- define "image" -}}
{{- $values := (index . 0).Values -}}
{{ $values.image.repository }}-{{ index . 1 }}:{{ index . 2 | default $values.image.tag | default (index . 0).Chart.AppVersion }}
{{- end }}

{{- define "pod-security" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "container-security" -}}
{readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
{{- end }}

{{- define "spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector: {matchLabels: {app.kubernetes.io/name: {{ . }}}}
{{- end }}

{{/* The probes, given as (list "path while it lives" "path while it can work"). */}}
{{- define "probes" -}}
startupProbe:
  httpGet: {path: {{ index . 0 }}, port: http}
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 30
livenessProbe:
  httpGet: {path: {{ index . 0 }}, port: http}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: {{ index . 1 }}, port: http}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{/* The volumes of a Secret and of /tmp, given the Secret's name. */}}
{{- define "volumes" -}}
- {name: secrets, secret: {secretName: {{ . }}, defaultMode: 0440}}
- {name: tmp, emptyDir: {sizeLimit: 64Mi}}
{{- end }}

{{/* The internet without private networks. */}}
{{- define "internet" -}}
{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16]}}
{{- end }}

{{/* What both the API and the mail service show to people: said once, in the mail service's settings. */}}
{{- define "worker-settings" -}}
{{- $shown := list "MAIL_SERVICE_PUBLIC_URL" "EMAIL_PAGE_URL" "ORGANISATION_NAME" "ORGANISATION_CONTACT" "ORGANISATION_URL" }}
{{- $said := dict }}
{{- range $name := ternary $shown list .Values.mail.enabled }}
{{- with index $.Values.mail.settings $name }}{{ $_ := set $said $name . }}{{ end }}
{{- end }}
{{- merge (dict) .Values.worker.settings $said | toJson }}
{{- end }}
